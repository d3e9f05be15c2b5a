/** Functions of an inline script. They use only their parameters (inline-scripts.ts). */

/**
 * Creates a function that is called with the time of each press of Escape, in milliseconds. It returns true if the
 * visitor wants to leave the site: after three presses within 1.5 seconds. A press that also closes a dialog counts, so
 * that three quick presses always leave.
 */
export function createEscapeCounter(): (now_ms: number) => boolean {
  let presses_ms: readonly number[] = [];
  return (now_ms) => {
    presses_ms = [...presses_ms, now_ms].slice(-3);
    return presses_ms.length === 3 && now_ms - (presses_ms[0] ?? 0) <= 1_500;
  };
}

/**
 * Leaves the site after three quick presses of Escape, or after a click on an element with `data-leave-site`. The
 * neutral site replaces the current page in the history of the tab, and the page is blank until the neutral site has
 * loaded.
 * @param leftKey the key of the tab's storage that records a quick exit
 */
export function watchQuickExit(createCounter: typeof createEscapeCounter, neutralSite: string, leftKey: string): void {
  const leaveSite = () => {
    // The shell does not start on a hidden page (main.tsx). It would set the title and store data.
    document.documentElement.hidden = true;
    document.title = '\u200b';
    document.querySelector('link[rel="icon"]')?.remove();
    try {
      sessionStorage.clear();
      sessionStorage.setItem(leftKey, '1');
    } catch {}
    // Pages with unsaved changes must not ask whether the visitor wants to stay.
    addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
    // The browser may have stored this page, and may show it again after Back.
    addEventListener('pageshow', () => location.replace(neutralSite));
    location.replace(neutralSite);
  };
  const shouldLeave = createCounter();
  addEventListener(
    'keydown',
    ({ key, repeat, timeStamp }) => {
      if (key === 'Escape' && !repeat && shouldLeave(timeStamp)) leaveSite();
    },
    // Dialogs and menus stop the event when they close.
    { capture: true },
  );
  addEventListener('click', (event) => {
    const { target, button, metaKey, ctrlKey, shiftKey, altKey } = event;
    // The function `isPlainClick` cannot be used, because this script is a part of the page.
    const isExit = target instanceof Element && target.closest('[data-leave-site]') !== null;
    if (!isExit || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
    event.preventDefault();
    leaveSite();
  });
}
