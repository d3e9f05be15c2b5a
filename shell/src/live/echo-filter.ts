/**
 * The time within which two notices with the same text count as one, if they have different sources. For example, when
 * a provider moves an ad to the top, the page and the live channel both report this change.
 */
export const ECHO_ms = 5_000;

/**
 * Creates a function that decides whether a notice is shown. Notices have two sources: the page and the live channel.
 * The created function returns false if one source has just shown the text of a notice of the other source.
 */
export function createEchoFilter(now: () => number): (text: string, from: 'page' | 'channel') => boolean {
  const shown: { readonly text: string; readonly from: 'page' | 'channel'; readonly at_ms: number }[] = [];
  return (text, from) => {
    while (shown[0] && now() - shown[0].at_ms > ECHO_ms) shown.shift();
    const original = shown.findIndex((notice) => notice.text === text && notice.from !== from);
    if (original >= 0) {
      // A shown notice suppresses one duplicate only. A later notice with the same text is shown again.
      shown.splice(original, 1);
      return false;
    }
    shown.push({ text, from, at_ms: now() });
    return true;
  };
}
