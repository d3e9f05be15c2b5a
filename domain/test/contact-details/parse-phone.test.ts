import { expect, test } from 'vitest';
import { parsePhone } from '../../src/contact-details/parse-phone.ts';
import { formatPhone } from '../../src/contact-details/format-phone.ts';

test.each([
  ['702 555 0123', '+17025550123', '(702) 555-0123'],
  ['(702) 555-0123', '+17025550123', '(702) 555-0123'],
  ['1-702-555-0123', '+17025550123', '(702) 555-0123'],
  ['+1 702 555 0123', '+17025550123', '(702) 555-0123'],
  ['+44 20 7946 0018', '+442079460018', '+44 20 7946 0018'],
  ['+41 79 123 45 67', '+41791234567', '+41 79 123 45 67'],
  ['0049 30 23125 012', '+493023125012', '+49 30 23125012'],
  // Until 2019, mobile numbers of Mexico had a 1 after the country code.
  ['+52 1 55 1234 5678', '+525512345678', '+52 55 1234 5678'],
])('the phone number %s is stored as %s and shown as %s', (text, stored, shown) => {
  expect(parsePhone(text)).toBe(stored);
  expect(formatPhone(stored)).toBe(shown);
  expect(parsePhone(formatPhone(stored))).toBe(stored);
});

test.each([
  '555 0123',
  '+1 555 0100',
  '123456789012345678',
  '+999 123 456 789',
  // Without country code, this Swiss number would be an American one that does not exist.
  '079 123 45 67',
  '1111111111',
  '123-456-7890',
  '000 000 0000',
])('%s is no phone number', (text) => {
  expect(parsePhone(text)).toBeNull();
});

test('a number that was stored before is shown in the same format', () => {
  expect(formatPhone('+1 702 555 0123')).toBe('(702) 555-0123');
});

test('a stored text that is no valid number is shown as it is', () => {
  expect(formatPhone('+1 555 0100')).toBe('+1 555 0100');
  expect(formatPhone('call me')).toBe('call me');
});
