/** Light or dark: what the visitor chose, or what their system says (ui/src/styles/tokens.css). */
import { useSyncExternalStore } from 'react';
import { pageStorage } from '../storage/page-storage.ts';
import { parseTheme, themeCookie, type Theme } from './theme-choice.ts';

const KEY = 'theme';
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

// Where nothing is stored, the server may still have had the cookie.
let current: Theme = parseTheme(pageStorage.getItem(KEY) ?? document.documentElement.dataset['theme'] ?? null);

/** Puts the choice on the page. The server has done so already where it got the cookie; this is for where it did not. */
function apply(): void {
  const root = document.documentElement;
  if (current === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = current;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    // The colours stand in the page, one for each scheme: a choice only says which of them counts.
    meta.dataset['scheme'] ??= meta.media.includes('dark') ? 'dark' : 'light';
    meta.media =
      current === 'system'
        ? `(prefers-color-scheme: ${meta.dataset['scheme']})`
        : meta.dataset['scheme'] === current
          ? 'all'
          : 'not all';
  }
}

export const currentTheme = (): Theme => current;

/** Applies what was chosen earlier, and follows what another tab chooses. Called once, before anything is shown. */
export function startTheme(): void {
  if ((document.documentElement.dataset['theme'] ?? 'system') !== current) tellServer();
  apply();
  addEventListener('storage', (event) => {
    if (event.key === KEY) show(parseTheme(event.newValue));
  });
}

function show(theme: Theme): void {
  current = theme;
  apply();
  for (const watcher of watchers) watcher();
}

/** Switches the whole page, and tells the server by a cookie, so that the next first HTML is in these colours before any script runs. */
export function chooseTheme(theme: Theme): void {
  pageStorage.setItem(KEY, theme);
  show(theme);
  tellServer();
}

function tellServer(): void {
  document.cookie = themeCookie(current, location.protocol === 'https:');
}

export function useTheme(): Theme {
  return useSyncExternalStore(watch, currentTheme);
}
