/** Minimum number of digits of a phone number. A shorter number does not identify a person. */
const DIGITS_MIN = 7;
const NATIONAL_DIGITS = 10;

/**
 * Returns the digits of a phone number without the US country code, so that equal numbers match in any format. Returns
 * null if the text has too few digits.
 */
export function normalizePhone(phone: string | null): string | null {
  const digits = (phone ?? '').normalize('NFKC').replaceAll(/\D/gu, '').replace(/^00/u, '');
  if (digits.length < DIGITS_MIN) return null;
  return digits.length === NATIONAL_DIGITS + 1 && digits.startsWith('1') ? digits.slice(1) : digits;
}
