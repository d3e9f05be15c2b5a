import { expect, test } from 'vitest';
import { createStatementTokens } from '../src/security/statement-tokens.ts';
import { createUnsubscribeTokens } from '../src/security/unsubscribe-tokens.ts';

const SECRET = 'ab'.repeat(32);
const tokens = createStatementTokens(SECRET);
const decisionId = '0193a1b2-0000-7000-8000-000000000001';
const token = tokens.issue(decisionId);

test('a token is valid for its decision, is always the same, and needs no encoding in the fragment of a URL', () => {
  expect(tokens.matches(token, decisionId)).toBe(true);
  expect(createStatementTokens(SECRET).issue(decisionId)).toBe(token);
  expect(new URL(`https://alpenglow.example/decisions/${decisionId}#${token}`).hash).toBe(`#${token}`);
});

test('a token is invalid for other decisions and other installations', () => {
  expect(tokens.matches(token, '0193a1b2-0000-7000-8000-000000000002')).toBe(false);
  expect(tokens.matches(token, '')).toBe(false);
  expect(createStatementTokens('cd'.repeat(32)).matches(token, decisionId)).toBe(false);
});

test('a changed token is invalid', () => {
  for (let index = 0; index < token.length; index += 1) {
    // Replaces one character by A, or by Q if the character is A. A and Q differ in a high bit. This matters for the
    // last character, because its two low bits are unused.
    const changed = `${token.slice(0, index)}${token[index] === 'A' ? 'Q' : 'A'}${token.slice(index + 1)}`;
    expect(tokens.matches(changed, decisionId), changed).toBe(false);
  }
});

test('an unsubscribe token opens no statement, even for the same id', () => {
  const [, , signature = ''] = createUnsubscribeTokens(SECRET)
    .issue({ accountId: decisionId, threadId: decisionId })
    .split('.');
  expect(tokens.matches(signature, decisionId)).toBe(false);
});

test.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), 'ä'.repeat(43), `${'A'.repeat(42)}\n`, 'a'.repeat(10_000)])(
  '%j is not a token',
  (text) => {
    expect(tokens.matches(text, decisionId)).toBe(false);
  },
);
