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
