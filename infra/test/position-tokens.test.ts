import { randomUUID } from 'node:crypto';
import type { Position } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { encrypt } from '../src/security/cipher.ts';
import { deriveKeys } from '../src/security/key-wrapping.ts';
import { createPositionTokens } from '../src/security/position-tokens.ts';

const SECRET = 'ab'.repeat(32);
const POSITIONS = ['0000000000000000007', '00000000000000000007/00000000000000000005'] as Position[];
const tokens = createPositionTokens(SECRET);

test('a token contains a position and the id of its event, and its length reveals neither', () => {
  for (const position of POSITIONS) {
    for (const id of [null, randomUUID()]) {
      const token = tokens.seal(position, id);
      expect(token).toMatch(/^[\w-]{140}$/u);
      expect(tokens.openMarks(token)).toEqual([{ position, id }]);
      expect(tokens.seal(position, id)).not.toBe(token);
    }
  }
});

test('a token of an earlier build contains only a position', () => {
  const key = deriveKeys(SECRET, 'position')[0];
  for (const position of POSITIONS) {
    const token = encrypt(key, 'position', position.padEnd(41)).toString('base64url');
    expect(token).toHaveLength(92);
    expect(tokens.openMarks(token)).toEqual([{ position, id: null }]);
    expect(tokens.openAll(`${token}, ${tokens.seal(position, randomUUID())}`)).toEqual([position, position]);
  }
});

test('a text with an invalid token, a token of another secret or more than four tokens has no position', () => {
  const token = tokens.seal('0000000000000000007' as Position);
  const foreign = createPositionTokens('cd'.repeat(32)).seal('0000000000000000007' as Position);
  for (const text of [
    '',
    '0000000000000000007',
    'A'.repeat(140),
    `${token},x`,
    foreign,
    Array(5).fill(token).join(','),
  ])
    expect(tokens.openMarks(text)).toEqual([]);
});
