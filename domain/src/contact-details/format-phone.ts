import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The country code of North America. */
const NORTH_AMERICA = '1';

/**
 * Returns a phone number as people of its country write it: `(702) 555-0142`, and `+41 79 123 45 67`. Numbers
 * outside of North America have their country code, because visitors must dial it, and because the form reads the text
 * again. A text that is no valid number stays unchanged.
 */
export function formatPhone(phone: string): string {
  const parsed = parsePhoneNumberFromString(phone, 'US');
  if (parsed?.isValid() !== true || parsed.ext !== undefined) return phone;
  return parsed.countryCallingCode === NORTH_AMERICA ? parsed.formatNational() : parsed.formatInternational();
}
