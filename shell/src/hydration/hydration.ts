/**
 * Prepares the takeover of the server-rendered HTML by React (decision 0087). `main.tsx` imports this
 * module first, because modules with texts or lazily loaded pages add them to `loads` when they are evaluated.
 */
import type { Hydration } from '@alpenglow/ui';
import { readDocumentLocale } from '../locale/locale.ts';

const { renderedAt, pages = '' } = document.getElementById('root')?.dataset ?? {};
const hydration: Hydration | undefined =
  renderedAt === undefined
    ? undefined
    : { at_ms: Number(renderedAt), locale: readDocumentLocale(), pages: pages.split(' '), loads: [] };
globalThis.alpenglowHydration = hydration;

/** True if the page contains server-rendered HTML. */
export const isRendered = hydration !== undefined;

/** After this time, a remote that is not loaded yet shows its loading screen, so that the rest of the page works. */
const MAX_LOAD_ms = 15_000;

/**
 * Loads everything that the HTML contains. Parts that cannot be loaded are ignored: React then shows their errors.
 * @param loadRemote loads the remote that owns the page
 */
export async function loadHtmlParts(loadRemote: () => Promise<void>): Promise<void> {
  if (hydration)
    await Promise.race([loadParts(hydration, loadRemote), new Promise((end) => setTimeout(end, MAX_LOAD_ms))]);
}

async function loadParts({ loads }: Hydration, loadRemote: () => Promise<void>): Promise<void> {
  await loadRemote();
  // Loading a part may add another part inside it.
  while (loads.length > 0) await Promise.allSettled(loads.splice(0).map((load) => load()));
}
