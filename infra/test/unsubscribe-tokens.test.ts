import { expect, test } from 'vitest';
import { createUnsubscribeTokens } from '../src/unsubscribe-tokens.ts';

const tokens = createUnsubscribeTokens('ab'.repeat(32));
const anna = '0f6c9a3e5b1d4c539d510a6b7f1f3c11';
const threadId = '0193a1b2-0000-7000-8000-000000000001';

test.each([
  ['of one thread', threadId],
  ['of all', null],
])('a token for the mails %s says whose and which', (_, of) => {
  expect(tokens.read(tokens.issue({ accountId: anna, threadId: of }))).toEqual({ accountId: anna, threadId: of });
});

test('it is the same each time, so that one from an old mail works for ever', () => {
  expect(tokens.issue({ accountId: anna, threadId })).toBe(
    createUnsubscribeTokens('ab'.repeat(32)).issue({ accountId: anna, threadId }),
  );
});

test('changed anywhere, it is none', () => {
  const token = tokens.issue({ accountId: anna, threadId });
  for (let index = 0; index < token.length; index += 1) {
    // The last character has two bits that say nothing.
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'Q' : 'A'}${token.slice(index + 1)}`;
    expect(tokens.read(changed), changed).toBeNull();
  }
});

test('with another account, another scope or of another installation, it is none', () => {
  const [, , seal = ''] = tokens.issue({ accountId: anna, threadId }).split('.');
  const others = [
    `${'1'.repeat(32)}.${threadId}.${seal}`,
    `${anna}.all.${seal}`,
    createUnsubscribeTokens('cd'.repeat(32)).issue({ accountId: anna, threadId }),
  ];
  for (const other of others) expect(tokens.read(other)).toBeNull();
});

test.each([
  '',
  '.',
  '..',
  'x',
  'a.all.',
  `${anna}.all`,
  `${anna}.all.${'A'.repeat(42)}`,
  `${anna}.all.${'A'.repeat(44)}`,
  `${anna}.all.${'ä'.repeat(43)}`,
  `\n${anna}.all.${'A'.repeat(43)}`,
  'a'.repeat(10_000),
])('%j is none', (text) => {
  expect(tokens.read(text)).toBeNull();
});

test('no part of a scope can pass for a part of the account', () => {
  const token = tokens.issue({ accountId: 'a-b', threadId: 'c' });
  const [, , seal = ''] = token.split('.');
  expect(tokens.read(`a.b-c.${seal}`)).toBeNull();
});
