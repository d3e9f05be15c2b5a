/**
 * Loads the texts and the lazily loaded parts of the pages. `render-pages.tsx` imports this module first, because
 * modules with texts or lazily loaded parts add their loaders when they are evaluated.
 */
import type { Hydration, Locale } from '@alpenglow/ui';

let current: Locale = 'en';
const loaders: Hydration['loaders'] = [];
const loaded = new Set<Locale>();

globalThis.alpenglowHydration = {
  at_ms: 0,
  get locale() {
    return current;
  },
  parts: { includes: () => true },
  loaders,
};

/** Loads everything that pages in a language contain, so that a render never waits. Loads each language once. */
export async function loadParts(locale: Locale): Promise<void> {
  if (loaded.has(locale)) return;
  current = locale;
  await Promise.all(loaders.map((load) => load()));
  loaded.add(locale);
}
