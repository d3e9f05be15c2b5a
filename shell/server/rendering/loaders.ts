/**
 * Loads the texts and the lazily loaded parts of the pages. Other modules register their loaders in
 * `alpenglowHydration` when they are evaluated. So `render-pages.tsx` must import this module first.
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

/**
 * Loads everything that pages in a language contain, so that a render never waits. Loads each language once. If a part
 * cannot be loaded, only this part is left to the browser.
 */
export async function loadParts(locale: Locale): Promise<void> {
  if (loaded.has(locale)) return;
  current = locale;
  // The code of a part may add the loader of its texts, or of another part inside it.
  for (let done = 0; done < loaders.length; ) {
    const added = loaders.slice(done);
    done = loaders.length;
    await Promise.allSettled(added.map((load) => load()));
  }
  loaded.add(locale);
}
