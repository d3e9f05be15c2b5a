/**
 * Prepares the takeover of the server-rendered HTML by React (decision 0087). Import this module first, because other
 * modules add the parts of the HTML when they are evaluated.
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

/**
 * Loads all parts of the HTML. Loading one part may add another part inside it. Parts that cannot be loaded are ignored,
 * because React then renders what it shows for them.
 */
export async function loadParts(): Promise<void> {
  while (hydration && hydration.loads.length > 0)
    await Promise.allSettled(hydration.loads.splice(0).map((load) => load()));
}
