const MAX_LENGTH = 200;

/** What a server said, fit for logs: one line, without addresses, and without digits that might be a code. */
export function withoutPersonalData(said: string): string {
  return said
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replaceAll(/[^\s<>"'(),:;]+@[^\s<>"'(),:;]+/gu, '[address]')
    .replaceAll(/\b\d{6}\b/gu, '[digits]')
    .slice(0, MAX_LENGTH);
}
