/** Fewer digits are no number somebody could be known by. */
const DIGITS_MIN = 7;
const NATIONAL_DIGITS = 10;

/**
 * A phone number in one spelling, so that the same one is found again however it was written: its digits alone, and of a US number those
 * after the country's code. Null without a number.
 */
export function phoneDigitsOf(phone: string | null): string | null {
  const digits = (phone ?? '').normalize('NFKC').replaceAll(/\D/gu, '').replace(/^00/u, '');
  if (digits.length < DIGITS_MIN) return null;
  return digits.length === NATIONAL_DIGITS + 1 && digits.startsWith('1') ? digits.slice(1) : digits;
}
