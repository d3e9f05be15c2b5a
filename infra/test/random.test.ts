import { expect, test } from 'vitest';
import { drawRandomBytes } from '../src/security/random.ts';

test('returns all random bytes only once, over many refills of the pool', () => {
  const drawn = Array.from({ length: 5_000 }, () => drawRandomBytes(12).toString('hex'));
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.every((bytes) => bytes.length === 24)).toBe(true);
});

test('does not change returned bytes later', () => {
  const first = drawRandomBytes(32);
  const before = first.toString('hex');
  for (let draws = 0; draws < 1_000; draws += 1) drawRandomBytes(64);
  expect(first.toString('hex')).toBe(before);
});

test('rejects more than 64 bytes at a time', () => {
  expect(() => drawRandomBytes(65)).toThrow(RangeError);
});
