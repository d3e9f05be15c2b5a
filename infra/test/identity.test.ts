import { describe, expect, test } from 'vitest';
import { accountIdOf, standInIdOf } from '../src/identity.ts';

const SECRET = 'ab'.repeat(32);
const OTHER_SECRET = 'cd'.repeat(32);

describe('the id of an address', () => {
  test('is the same in any spelling of it', () => {
    expect(accountIdOf(SECRET, ' Anna@Example.COM ')).toBe(accountIdOf(SECRET, 'anna@example.com'));
    expect(standInIdOf(SECRET, ' Anna@Example.COM ', 'horse')).toBe(standInIdOf(SECRET, 'anna@example.com', 'horse'));
  });
  test('is nothing anybody without the secret can work out', () => {
    expect(accountIdOf(SECRET, 'anna@example.com')).not.toBe(accountIdOf(OTHER_SECRET, 'anna@example.com'));
    expect(standInIdOf(SECRET, 'anna@example.com', 'horse')).not.toBe(
      standInIdOf(OTHER_SECRET, 'anna@example.com', 'horse'),
    );
  });
});

describe('the id of a stand-in', () => {
  test('looks like any other', () => {
    for (const id of [accountIdOf(SECRET, 'anna@example.com'), standInIdOf(SECRET, 'anna@example.com', 'horse')])
      expect(id).toMatch(/^[0-9a-f]{32}$/u);
  });
  test('is one for each address and password', () => {
    const ids = [
      accountIdOf(SECRET, 'anna@example.com'),
      standInIdOf(SECRET, 'anna@example.com', ''),
      standInIdOf(SECRET, 'anna@example.com', 'horse'),
      standInIdOf(SECRET, 'anna@example.com', 'Horse'),
      standInIdOf(SECRET, 'anna@example.co', 'mhorse'),
      standInIdOf(SECRET, 'berta@example.com', 'horse'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
