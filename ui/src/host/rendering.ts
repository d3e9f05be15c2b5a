/**
 * The first render of a page. The server renders a page without knowing the visitor's clock, time zone and storage. The
 * first render in the browser must return the same HTML, because React takes over the server-rendered HTML.
 */
import { useSyncExternalStore } from 'react';
import { isLocale, type Locale } from '../i18n/locales.ts';

/** The data of the current page. The server stores them in a global variable while it renders the page. */
interface ServerRendering {
  /** The time at which the page is rendered, in milliseconds since 1970. */
  readonly at_ms: number;
  /** True if the demo accounts exist. */
  readonly isDemo: boolean;
  /** The names of the lazily loaded pages that the HTML contains. */
  readonly lazyPages: Set<string>;
}

declare global {
  var alpenglowRendering: ServerRendering | undefined;
  /** Loads for the server-rendered HTML. The bundles of the shell and of the remotes share this variable. */
  var alpenglowPageLoads: Promise<unknown>[] | undefined;
}

/** Returns true on the server, while it renders a page. */
export const isServerRendering = (): boolean => globalThis.alpenglowRendering !== undefined;

const never = () => () => undefined;

/** Returns false on the server and for the first render of its HTML in the browser. After that, returns true. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** Returns the time at which the server renders or has rendered this page, in milliseconds since 1970. */
export function getRenderTime_ms(): number {
  const stored = globalThis.document?.getElementById('root')?.dataset['renderedAt'];
  return globalThis.alpenglowRendering?.at_ms ?? (stored === undefined ? Date.now() : Number(stored));
}

/**
 * Returns the time zone for dates. It is UTC on the server and for the first render in the browser, and then the zone
 * of the visitor.
 */
export function useTimeZone(): string | undefined {
  return useIsHydrated() ? undefined : 'UTC';
}

/** Reports that the HTML contains a lazily loaded page. The server then adds the files of the page to the HTML. */
export function reportLazyPage(name: string): void {
  globalThis.alpenglowRendering?.lazyPages.add(name);
}

/** Returns the language of the server-rendered HTML. Returns null if there is no such HTML. */
export function getHtmlLocale(): Locale | null {
  const isRendered = globalThis.document?.getElementById('root')?.dataset['renderedAt'] !== undefined;
  const { lang } = isRendered ? document.documentElement : { lang: '' };
  return isLocale(lang) ? lang : null;
}

/** Returns whether the server-rendered HTML contains a lazily loaded page. */
export function isInHtml(name: string): boolean {
  const names = globalThis.document?.getElementById('root')?.dataset['pages'];
  return names !== undefined && names.split(' ').includes(name);
}

/** Delays hydration until a part of the HTML is loaded, e.g. a page or its texts. `load` must not reject. */
export function awaitBeforeHydration(load: Promise<unknown>): void {
  (globalThis.alpenglowPageLoads ??= []).push(load);
}

/** Resolves when all parts of the HTML are loaded. Loading a page may start the load of another part. */
export async function whenPagesLoaded(): Promise<void> {
  for (;;) {
    const loads = globalThis.alpenglowPageLoads?.splice(0) ?? [];
    if (loads.length === 0) return;
    await Promise.all(loads);
  }
}
