import { clearTabStorage, isPlainClick, TAB_KEYS, tabStorage } from '@alpenglow/ui';
import { createEscapeCounter } from './escape-presses.ts';
import { NEUTRAL_SITE } from './neutral-site.ts';

/**
 * Leaves the site at once. The neutral site replaces the current page in the history of the tab, and the page is blank
 * until the neutral site has loaded.
 */
function leaveSite(): void {
  hidePage();
  clearTabStorage();
  try {
    tabStorage().setItem(TAB_KEYS.left, '1');
  } catch {
    // Access to the storage is denied.
  }
  // Pages with unsaved changes must not ask whether the visitor wants to stay.
  addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), { capture: true });
  // The browser may have stored this page, and may show it again after Back.
  addEventListener('pageshow', () => location.replace(NEUTRAL_SITE));
  location.replace(NEUTRAL_SITE);
}

function hidePage(): void {
  document.documentElement.hidden = true;
  document.title = '\u200b';
  document.querySelector('link[rel="icon"]')?.remove();
}

/**
 * Leaves the site after three quick presses of Escape, or after a click on an element with `data-leave-site`. It is
 * called once, before the first render, because server-rendered HTML is visible before React handles its clicks.
 */
export function startQuickExit(): void {
  const shouldLeave = createEscapeCounter();
  addEventListener(
    'keydown',
    ({ key, repeat, timeStamp }) => {
      if (key === 'Escape' && !repeat && shouldLeave(timeStamp)) leaveSite();
    },
    // Dialogs and menus stop the event when they close.
    { capture: true },
  );
  addEventListener('click', (event) => {
    const isExit = event.target instanceof Element && event.target.closest('[data-leave-site]');
    if (!isExit || !isPlainClick(event)) return;
    event.preventDefault();
    leaveSite();
  });
}
