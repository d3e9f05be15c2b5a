/** A position as it is read: without the zeros that pad it so that positions sort as text. */
export function positionText(position: string): string {
  return position.replace(/^0+(?=\d)/u, '');
}
