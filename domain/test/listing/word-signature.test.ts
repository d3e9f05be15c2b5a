import { expect, test } from 'vitest';
import { createSignature, SIGNATURE_bits } from '@alpenglow/domain';

const bitsOf = (signature: string) => new Set([...signature].flatMap((bit, index) => (bit === '1' ? [index] : [])));

test('the signature of several words has the bits of each word, and no other bits', () => {
  const words = ['massage', '.massage', 'las', 'vegas', 'straße', '北京'];
  const all = bitsOf(createSignature(words));
  expect([...all].sort()).toEqual([...new Set(words.flatMap((word) => [...bitsOf(createSignature([word]))]))].sort());
  expect(createSignature(words)).toHaveLength(SIGNATURE_bits);
  expect(bitsOf(createSignature([])).size).toBe(0);
});

test('few signatures of sixty words match another word', () => {
  const signature = bitsOf(createSignature(Array.from({ length: 60 }, (_, number) => `word${number}`)));
  const others = Array.from({ length: 2_000 }, (_, number) => bitsOf(createSignature([`other${number}`])));
  const wrong = others.filter((bits) => [...bits].every((bit) => signature.has(bit))).length;
  expect(wrong / others.length).toBeLessThan(0.08);
});
