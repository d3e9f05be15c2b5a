/** Functions of inline scripts. They use only their parameters (inline-scripts.ts). */
import type { LOCAL_KEYS } from '@alpenglow/ui/stored-keys';

type ChoiceKey = 'ageConfirmed' | 'guidelinesAccepted' | 'cookieConsent' | 'token';

/**
 * Prepares the document before the browser shows it. It reads the visitor's choices from the browser's storage:
 * - `data-gate` is the question that must cover the page.
 * - `data-cookies` shows the cookie banner, because the visitor has not chosen.
 * - `data-session` means that the storage contains a session token.
 *
 * If Back opens the page after a quick exit, it leaves the site again. Does nothing if the browser is not supported,
 * because no script would then handle the choices.
 * @param leftKey the key of the tab's storage that records a quick exit
 */
export function setFirstState(keys: Pick<typeof LOCAL_KEYS, ChoiceKey>, leftKey: string, neutralSite: string): void {
  const { dataset } = document.documentElement;
  if (dataset['scripts'] !== 'on') return;
  try {
    if (sessionStorage.getItem(leftKey) !== null) {
      const [navigation] = performance.getEntriesByType('navigation');
      if (navigation instanceof PerformanceNavigationTiming && navigation.type === 'back_forward') {
        document.documentElement.hidden = true;
        location.replace(neutralSite);
      } else sessionStorage.removeItem(leftKey);
    }
    if (localStorage.getItem(keys.ageConfirmed) !== 'true') dataset['gate'] = 'age';
    else if (localStorage.getItem(keys.guidelinesAccepted) !== 'true') dataset['gate'] = 'guidelines';
    if (!/"analytics":(?:true|false)/u.test(localStorage.getItem(keys.cookieConsent) ?? '')) dataset['cookies'] = 'ask';
    if ((localStorage.getItem(keys.token) ?? '') !== '') dataset['session'] = 'stored';
  } catch {
    dataset['gate'] = 'age';
    dataset['cookies'] = 'ask';
  }
}

/** Makes the page unusable until the visitor has accepted the questions. */
export function disablePageBelowGate(): void {
  if (document.documentElement.dataset['gate'] !== undefined)
    document.querySelector('[data-frame]')?.setAttribute('inert', '');
}
