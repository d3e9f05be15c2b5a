/**
 * Prepares the takeover of the server-rendered HTML by React (decision 0087). `main.tsx` imports this module first,
 * because modules with texts or lazily loaded parts add their loaders when they are evaluated.
 */
import type { Hydration } from '@alpenglow/ui';
import { readDocumentLocale } from '../locale/locale.ts';

const { renderedAt, parts = '' } = document.getElementById('root')?.dataset ?? {};
const hydration: Hydration | undefined =
  renderedAt === undefined
    ? undefined
    : { at_ms: Number(renderedAt), locale: readDocumentLocale(), parts: parts.split(' '), loaders: [] };
globalThis.alpenglowHydration = hydration;

/** True if the page contains server-rendered HTML. */
export const isRendered = hydration !== undefined;

/**
 * The longest time for which the page waits for its code. After that, React starts without the rest. A remote that is
 * still loading then shows its loading screen.
 */
const MAX_WAIT_ms = 15_000;

/**
 * Loads the code and the texts of everything in the HTML. What cannot be loaded is ignored: React then shows its error.
 * @param remote the running load of the remote that owns the page
 */
export async function loadHtmlParts(remote: Promise<void> | undefined): Promise<void> {
  if (hydration)
    await Promise.race([loadAll(hydration, remote), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_ms))]);
}

async function loadAll({ loaders }: Hydration, remote: Promise<void> | undefined): Promise<void> {
  await remote;
  // The code of a part may add the loader of another part inside it.
  while (loaders.length > 0) await Promise.allSettled(loaders.splice(0).map((load) => load()));
}
