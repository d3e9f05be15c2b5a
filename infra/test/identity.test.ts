import { describe, expect, test } from 'vitest';
import { accountIdOf, standInIdOf } from '../src/security/account-ids.ts';

const SECRET = 'ab'.repeat(32);
const OTHER_SECRET = 'cd'.repeat(32);

describe('the id of an address', () => {
  test('is the same in any spelling of it', () => {
    const id = accountIdOf(SECRET, 'anna@example.com');
    for (const spelling of [
      ' Anna@Example.COM ',
      'an\u200Bna@example.com',
      '\uFF41nna@example.com',
      'anna@\uFF45xample.com',
    ])
      expect(accountIdOf(SECRET, spelling), spelling).toBe(id);
    expect(standInIdOf(SECRET, ' Anna@Example.COM ')).toBe(standInIdOf(SECRET, 'anna@example.com'));
  });
  test('cannot be computed without the secret', () => {
    expect(accountIdOf(SECRET, 'anna@example.com')).not.toBe(accountIdOf(OTHER_SECRET, 'anna@example.com'));
    expect(standInIdOf(SECRET, 'anna@example.com')).not.toBe(standInIdOf(OTHER_SECRET, 'anna@example.com'));
  });
});

describe('the id of a stand-in', () => {
  test('has the format of any other id', () => {
    for (const id of [accountIdOf(SECRET, 'anna@example.com'), standInIdOf(SECRET, 'anna@example.com')])
      expect(id).toMatch(/^[0-9a-f]{32}$/u);
  });
  test('is different for each address', () => {
    const ids = [
      accountIdOf(SECRET, 'anna@example.com'),
      standInIdOf(SECRET, 'anna@example.com'),
      standInIdOf(SECRET, 'berta@example.com'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
