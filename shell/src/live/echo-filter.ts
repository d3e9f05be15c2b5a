/** Somebody who bumps an ad hears of it twice: from the page that did it, and from the channel. Within this time it is one thing. */
export const ECHO_ms = 5_000;

/** Says whether a text is to be shown, or has just been shown from the other side. */
export function createEchoFilter(now: () => number): (text: string, from: 'page' | 'channel') => boolean {
  const shown: { readonly text: string; readonly from: 'page' | 'channel'; readonly at_ms: number }[] = [];
  return (text, from) => {
    while (shown[0] && now() - shown[0].at_ms > ECHO_ms) shown.shift();
    const original = shown.findIndex((one) => one.text === text && one.from !== from);
    if (original >= 0) {
      // One echo each: the next message with the same words is news again.
      shown.splice(original, 1);
      return false;
    }
    shown.push({ text, from, at_ms: now() });
    return true;
  };
}
