import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import {
  changePasswordFields,
  displayName,
  logInFields,
  profileFields,
  resetPasswordFields,
  signUpFields,
  verifyEmailFields,
} from '../../src/account/fields.ts';

const person = { email: 'me@mail.example', password: 'correct horse', displayName: 'Anna', age: 30 };
const SHORT_PASSWORD = 'Please use at least 12 characters, or at least 8 that are hard to guess';
const messagesOf = (schema: z.ZodMiniType, input: unknown) =>
  schema
    .safeParse(input)
    .error?.issues.slice(0, 1)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a sign-up', () => {
  test('is that of a client by default', () => {
    expect(signUpFields.parse(person)).toMatchObject({ userType: 'client' });
  });
  test.each([
    ['age', 17, 'You must be at least 18 years old'],
    ['age', '30', 'Age must be a whole number'],
    ['age', null, 'You must be at least 18 years old'],
    ['age', 18.5, 'Age must be a whole number'],
    ['email', 'not-an-address', 'Please enter a valid e-mail address'],
    ['email', ['a@mail.example'], 'Please enter a valid e-mail address'],
    ['password', 'short', SHORT_PASSWORD],
    ['password', 'x'.repeat(201), 'Password must be at most 200 characters'],
    ['userType', 'admin', 'Please choose client or provider'],
    ['displayName', '  ', 'Please enter a display name'],
  ])('with the %s %j is rejected', (field, value, message) => {
    expect(messagesOf(signUpFields, { ...person, [field]: value })).toEqual([`${field}: ${message}`]);
  });
});

test('a new profile has an adult age and a visible name', () => {
  expect(messagesOf(profileFields, { age: 17 })).toEqual(['age: You must be at least 18 years old']);
  expect(messagesOf(profileFields, { displayName: '' })).toEqual(['displayName: Please enter a display name']);
});

test('a login needs an address and a password', () => {
  expect(messagesOf(logInFields, { email: 'a@mail.example' })).toEqual(['password: Please enter your password']);
  expect(messagesOf(logInFields, { password: 'x' })).toEqual(['email: Please enter a valid e-mail address']);
});

test.each(['12345', '1234567', 'abcdef', '', 123456, null])('the code %j is rejected', (code) => {
  expect(messagesOf(verifyEmailFields, { email: 'a@mail.example', code })).toEqual([
    'code: Please enter the 6-digit code',
  ]);
});

test('a short new password is rejected at its field', () => {
  const newPassword = 'short';
  expect(messagesOf(changePasswordFields, { currentPassword: 'x', newPassword })).toEqual([
    `newPassword: ${SHORT_PASSWORD}`,
  ]);
  expect(messagesOf(resetPasswordFields, { email: 'a@mail.example', code: '123456', newPassword })).toEqual([
    `newPassword: ${SHORT_PASSWORD}`,
  ]);
});

describe('a display name', () => {
  test('contains no characters that change the direction of other text', () => {
    expect(displayName.parse('Anna\u2069\u202Efdsa')).toBe('Annafdsa');
    expect(displayName.safeParse(' \u202E\u2069 ').success).toBe(false);
  });
  test('may contain right-to-left letters and emoji', () => {
    expect(displayName.parse('  مريم 👩‍👧 ')).toBe('مريم 👩‍👧');
  });
  test.each(['\u000B', '\u000C', '\t', '\n', '\r\n', '\u2028', '\u00A0', '  '])('has one space for %j', (space) => {
    expect(displayName.parse(`Ro${space}bin`)).toBe('Ro bin');
  });
  test.each([
    ['Ro\u0007bin', 3],
    ['  Robin\u0000', 8],
    ['Robin\uD83D', 6],
    ['Ro\u0093bin', 3],
  ])('with an unusable character is rejected, with its position: %j', (name, position) => {
    expect(displayName.safeParse(name).error?.issues.map(({ message }) => message)).toEqual([
      `Display name contains a character that cannot be displayed at position ${position}`,
    ]);
  });
});

describe('an e-mail address', () => {
  const parse = (email: string) => logInFields.safeParse({ email, password: 'x' });
  test.each([
    ['a&b@mail.example', 'a&b@mail.example'],
    ["o'neil+ads@mail.example", "o'neil+ads@mail.example"],
    [' Me@Mail.Example ', 'me@mail.example'],
    ['me@bücher.example', 'me@xn--bcher-kva.example'],
    ['me@bu\u0308cher.example', 'me@xn--bcher-kva.example'],
    ['me@xn--bcher-kva.example', 'me@xn--bcher-kva.example'],
    ['me@例え.テスト', 'me@xn--r8jz45g.xn--zckzah'],
    ['\u200Bme@mail.example', 'me@mail.example'],
    ['me@mail.example\u2060', 'me@mail.example'],
    ['me@mail\u3002example', 'me@mail.example'],
    ['me@mail\uFF0Eexample', 'me@mail.example'],
    ['me@例え。テスト', 'me@xn--r8jz45g.xn--zckzah'],
    ['ｍｅ＠ｍａｉｌ．ｅｘａｍｐｌｅ', 'me@mail.example'],
  ])('%s is accepted as %s', (entered, email) => {
    expect(parse(entered).data).toMatchObject({ email });
  });
  test.each([
    ...['a..b@mail.example', '.a@mail.example', 'a.@mail.example', 'a b@mail.example', '@mail.example', 'a@mail', 'a@'],
    ...['a@b@mail.example', 'a@-mail.example', 'a@mail..example', 'a@mail.example.', 'a@127.0.0.1', 'ä@mail.example'],
    ...['a@bücher.example/x', 'a@bü cher.example', `${'a'.repeat(65)}@mail.example`],
  ])('%s is rejected', (email) => {
    expect(parse(email).error?.issues[0]?.message).toBe('Please enter a valid e-mail address');
  });
});

test('a new password has one form, however its letters are encoded', () => {
  const passwords = ['caf\u00E9 in the morning', 'cafe\u0301 in the morning', 'ｃａｆé in the morning'];
  expect(passwords.map((password) => signUpFields.parse({ ...person, password }).password)).toEqual(
    passwords.map(() => 'caf\u00E9 in the morning'),
  );
});
