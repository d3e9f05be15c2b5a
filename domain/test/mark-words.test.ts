import { expect, test } from 'vitest';
import { findMarkedWord, markWords } from '../src/contracts/mark-words.ts';

/** Returns the text with its marked parts in brackets. */
const mark = (text: string, ...beginnings: readonly string[]) =>
  markWords(text, beginnings)
    .map((part) => (part.isMatch ? `[${part.text}]` : part.text))
    .join('');

test.each([
  ['Opera and operetta', ['oper'], '[Oper]a and [oper]etta'],
  ['Zoë of Ünhurried Street', ['zoe', 'un'], '[Zoë] of [Ün]hurried Street'],
  ['Zoe\u0308', ['zo'], '[Zoe\u0308]'],
  ['A popular opera', ['op'], 'A popular [op]era'],
  ['<b>opera</b>', ['b', 'opera'], '<[b]>[opera]</[b]>'],
  ['opera', ['o', 'oper'], '[oper]a'],
  ['nothing', ['opera'], 'nothing'],
  ['nothing', [''], 'nothing'],
  ['', ['opera'], ''],
])('marks %j for %j', (text, beginnings, marked) => {
  expect(mark(text, ...beginnings)).toBe(marked);
  const first = marked.indexOf('[');
  expect(findMarkedWord(text, beginnings)).toBe(first === -1 ? null : first);
});
