const MAX_LENGTH = 200;

/**
 * Removes personal data from the response of a mail server before it is logged. Returns one line without mail addresses
 * and without groups of six digits, which may be verification codes.
 */
export function withoutPersonalData(message: string): string {
  return message
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/gu, '[address]')
    .replaceAll(/\b\d{6}\b/gu, '[digits]')
    .slice(0, MAX_LENGTH);
}
