/** The theme of the page. The visitor chooses it, or the system defines it (ui/src/styles/tokens.css). */
import { LOCAL_KEYS } from '@alpenglow/ui';
import { useSyncExternalStore } from 'react';
import { pageStorage } from '../storage/page-storage.ts';
import { parseTheme, themeCookie, type Theme } from './theme-choice.ts';

const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

let current: Theme = 'system';

/**
 * Applies the theme to the page. This is necessary if the server received no theme cookie and therefore rendered the
 * page without a theme.
 */
function apply(): void {
  const root = document.documentElement;
  if (current === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = current;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    // The page contains two `theme-color` tags, for the light and the dark theme. The current theme determines which
    // tag applies.
    meta.dataset['scheme'] ??= meta.media.includes('dark') ? 'dark' : 'light';
    meta.media =
      current === 'system'
        ? `(prefers-color-scheme: ${meta.dataset['scheme']})`
        : meta.dataset['scheme'] === current
          ? 'all'
          : 'not all';
  }
}

const currentTheme = (): Theme => current;

/**
 * Applies the stored theme, and follows changes in other tabs. It is called once, before the first render. If this
 * browser's storage contains no theme, the theme of the server-rendered page applies. The server reads this theme from
 * the cookie.
 */
export function startTheme(): void {
  current = parseTheme(pageStorage.getItem(LOCAL_KEYS.theme) ?? document.documentElement.dataset['theme'] ?? null);
  if ((document.documentElement.dataset['theme'] ?? 'system') !== current) writeCookie();
  apply();
  addEventListener('storage', (event) => {
    if (event.key === LOCAL_KEYS.theme) show(parseTheme(event.newValue));
  });
}

function show(theme: Theme): void {
  current = theme;
  apply();
  for (const watcher of watchers) watcher();
}

/** Switches the theme of the page. Stores it in a cookie, so that the server renders later pages in this theme. */
export function chooseTheme(theme: Theme): void {
  pageStorage.setItem(LOCAL_KEYS.theme, theme);
  show(theme);
  writeCookie();
}

function writeCookie(): void {
  document.cookie = themeCookie(current, location.protocol === 'https:');
}

export function useTheme(): Theme {
  return useSyncExternalStore(watch, currentTheme, () => 'system');
}
