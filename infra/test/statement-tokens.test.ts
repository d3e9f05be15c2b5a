import { expect, test } from 'vitest';
import { createStatementTokens } from '../src/statement-tokens.ts';
import { createUnsubscribeTokens } from '../src/unsubscribe-tokens.ts';

const SECRET = 'ab'.repeat(32);
const tokens = createStatementTokens(SECRET);
const decisionId = '0193a1b2-0000-7000-8000-000000000001';
const token = tokens.issue(decisionId);

test('a token is of its decision, each time the same, and fits behind the # of an address as it is', () => {
  expect(tokens.isOf(token, decisionId)).toBe(true);
  expect(createStatementTokens(SECRET).issue(decisionId)).toBe(token);
  expect(new URL(`https://alpenglow.example/decisions/${decisionId}#${token}`).hash).toBe(`#${token}`);
});

test('it is of no other decision, and of none in another installation', () => {
  expect(tokens.isOf(token, '0193a1b2-0000-7000-8000-000000000002')).toBe(false);
  expect(tokens.isOf(token, '')).toBe(false);
  expect(createStatementTokens('cd'.repeat(32)).isOf(token, decisionId)).toBe(false);
});

test('changed anywhere, it is none', () => {
  for (let index = 0; index < token.length; index += 1) {
    // The last character has two bits that say nothing.
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'Q' : 'A'}${token.slice(index + 1)}`;
    expect(tokens.isOf(changed, decisionId), changed).toBe(false);
  }
});

test('what ends mails opens no statement, even where it is about the same id', () => {
  const [, , seal = ''] = createUnsubscribeTokens(SECRET)
    .issue({ accountId: decisionId, threadId: decisionId })
    .split('.');
  expect(tokens.isOf(seal, decisionId)).toBe(false);
});

test.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), 'ä'.repeat(43), `${'A'.repeat(42)}\n`, 'a'.repeat(10_000)])(
  '%j is none',
  (text) => {
    expect(tokens.isOf(text, decisionId)).toBe(false);
  },
);
