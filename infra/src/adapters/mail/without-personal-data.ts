const MAX_LENGTH = 200;

/**
 * Removes personal data from a server's message before it is logged. Returns one line without mail addresses and
 * without groups of six digits, which may be codes.
 */
export function withoutPersonalData(message: string): string {
  return message
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/gu, '[address]')
    .replaceAll(/\b\d{6}\b/gu, '[digits]')
    .slice(0, MAX_LENGTH);
}
