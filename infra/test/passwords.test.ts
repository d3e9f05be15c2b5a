import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { createPasswords, hashPassword } from '../src/adapters/passwords.ts';

const RECOMMENDED = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u;

test('new passwords are hashed with the cost that OWASP recommends', async () => {
  expect(await hashPassword('a password')).toMatch(RECOMMENDED);
  expect(await createPasswords().hash('a password')).toMatch(RECOMMENDED);
});

test('a password matches only its own hash, whatever the cost of the hash was', async () => {
  const cheap = await hashPassword('a password', { memory_KiB: 8, passes: 1 });
  const passwords = createPasswords();
  expect(await passwords.matches(cheap, 'a password')).toBe(true);
  expect(await passwords.matches(cheap, 'another password')).toBe(false);
  expect(await passwords.matches(null, 'a password')).toBe(false);
});

test('a password matches its hash, however its letters are encoded', async () => {
  const passwords = createPasswords({ memory_KiB: 8, passes: 1 });
  const [composed, decomposed, wide] = ['caf\u00E9', 'cafe\u0301', 'ｃａｆé'];
  for (const stored of [composed, decomposed, wide])
    for (const entered of [composed, decomposed, wide])
      expect(await passwords.check(await passwords.hash(stored), entered)).toEqual({
        matches: true,
        isOutdated: false,
      });
  expect(await passwords.matches(await passwords.hash(composed), 'cafe')).toBe(false);
});

test('an older hash of a password that was not normalized matches, and is outdated', async () => {
  const cost = { memory_KiB: 8, passes: 1 };
  const options = { memoryCost: cost.memory_KiB, timeCost: cost.passes, parallelism: 1 };
  const passwords = createPasswords(cost);
  const older = await hash('cafe\u0301', options);
  for (const entered of ['cafe\u0301', 'caf\u00E9'])
    expect(await passwords.check(older, entered)).toEqual({ matches: true, isOutdated: true });
  expect(await passwords.check(older, 'another')).toEqual({ matches: false, isOutdated: false });
  expect(await passwords.check(null, 'caf\u00E9')).toEqual({ matches: false, isOutdated: false });
});
