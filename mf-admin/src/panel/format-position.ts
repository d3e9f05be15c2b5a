/** Formats a position in the event log without its leading zeros. They are only needed to sort positions as text. */
export function formatPosition(position: string): string {
  return position.replace(/^0+(?=\d)/u, '');
}
