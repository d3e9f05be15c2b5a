import { expect, test } from 'vitest';
import { drawRandomBytes } from '../src/random.ts';

test('bytes are drawn once: no two draws share any, over many fillings of the pool', () => {
  const drawn = Array.from({ length: 5_000 }, () => drawRandomBytes(12).toString('hex'));
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.every((bytes) => bytes.length === 24)).toBe(true);
});

test('what was drawn stays as it is', () => {
  const first = drawRandomBytes(32);
  const before = first.toString('hex');
  for (let draws = 0; draws < 1_000; draws += 1) drawRandomBytes(64);
  expect(first.toString('hex')).toBe(before);
});

test('more than 64 bytes at a time are refused', () => {
  expect(() => drawRandomBytes(65)).toThrow(RangeError);
});
