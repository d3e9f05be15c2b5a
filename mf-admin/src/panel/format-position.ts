/**
 * Formats a position in the event log without its leading zeros. The zeros are needed only to sort positions as text.
 */
export function formatPosition(position: string): string {
  return position.replace(/^0+(?=\d)/u, '');
}
