/**
 * Formats a position in the event log without its leading zeros. The zeros are needed only to sort positions as text.
 * Returns an empty text if the position is null, because the server does not show it.
 */
export function formatPosition(position: string | null): string {
  return position?.replace(/^0+(?=\d)/u, '') ?? '';
}
