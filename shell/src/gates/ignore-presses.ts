/** The longest usual time between the two presses of a double tap, with a reserve for slow hands. */
const IGNORED_ms = 700;

/**
 * Ignores presses of the pointer on an element that has just appeared. Otherwise, the second press of a double tap
 * would hit a button of which the visitor has not read the label.
 */
export function ignorePresses({ style }: HTMLElement): void {
  style.pointerEvents = 'none';
  setTimeout(() => (style.pointerEvents = ''), IGNORED_ms);
}
