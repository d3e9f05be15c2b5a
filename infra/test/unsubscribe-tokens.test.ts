import { expect, test } from 'vitest';
import { createUnsubscribeTokens } from '../src/security/unsubscribe-tokens.ts';

const tokens = createUnsubscribeTokens('ab'.repeat(32));
const anna = '0f6c9a3e5b1d4c539d510a6b7f1f3c11';
const threadId = '0193a1b2-0000-7000-8000-000000000001';

test.each([
  ['of one thread', threadId],
  ['of all', null],
])('a token for the mails %s contains the account and the thread', (_, scope) => {
  expect(tokens.read(tokens.issue({ accountId: anna, threadId: scope }))).toEqual({ accountId: anna, threadId: scope });
});

test('a token is always the same, so that a token of an old mail stays valid', () => {
  expect(tokens.issue({ accountId: anna, threadId })).toBe(
    createUnsubscribeTokens('ab'.repeat(32)).issue({ accountId: anna, threadId }),
  );
});

test('a changed token is invalid', () => {
  const token = tokens.issue({ accountId: anna, threadId });
  for (let index = 0; index < token.length; index += 1) {
    // Replaces one character by A, or by Q if the character is A. A and Q differ in a high bit. This matters for the
    // last character, because its two low bits are unused.
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'Q' : 'A'}${token.slice(index + 1)}`;
    expect(tokens.read(changed), changed).toBeNull();
  }
});

test('a token is invalid with another account, another scope or in another installation', () => {
  const [, , signature = ''] = tokens.issue({ accountId: anna, threadId }).split('.');
  const others = [
    `${'1'.repeat(32)}.${threadId}.${signature}`,
    `${anna}.all.${signature}`,
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
])('%j is not a token', (text) => {
  expect(tokens.read(text)).toBeNull();
});

test('a part of the scope cannot be moved to the account', () => {
  const token = tokens.issue({ accountId: 'a-b', threadId: 'c' });
  const [, , signature = ''] = token.split('.');
  expect(tokens.read(`a.b-c.${signature}`)).toBeNull();
});
