import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Until 2019, mobile numbers of Mexico had a 1 after the country code. Many contact lists still have it. */
const OLD_MEXICAN_MOBILE = /^\+521(?=\d{10}$)/u;

/**
 * Returns a phone number in the format E.164, such as `+17025550142`, or null if no country has such a number. A
 * number without country code is of the United States.
 */
export function parsePhone(text: string): string | null {
  const digits = text
    .replaceAll(/(?!^\+)\D/gu, '')
    .replace(/^00/u, '+')
    .replace(OLD_MEXICAN_MOBILE, '+52');
  const parsed = parsePhoneNumberFromString(digits, 'US');
  return parsed?.isValid() === true ? parsed.number : null;
}
