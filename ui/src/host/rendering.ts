/**
 * The first render of a page. The server renders a page without knowing the visitor's clock, time zone and storage. The
 * first render in the browser must return the same HTML, because React takes over the server-rendered HTML.
 */
import { useSyncExternalStore } from 'react';
import type { Locale } from '../i18n/locales.ts';

/** The data of the current page. The server stores them in a global variable while it renders the page. */
interface ServerRendering {
  /** The time at which the page is rendered, in milliseconds since 1970. */
  readonly at_ms: number;
  /** True if the demo accounts exist. */
  readonly isDemo: boolean;
  /** The names of the lazily loaded pages that the HTML contains. */
  readonly lazyPages: Set<string>;
}

/** The parts of the server-rendered HTML that the browser loads before React takes over the HTML. */
export interface Hydration {
  /** The time at which the server has rendered the page, in milliseconds since 1970. */
  readonly at_ms: number;
  readonly locale: Locale;
  /** The names of the lazily loaded pages. */
  readonly pages: readonly string[];
  /** Functions that load the parts. */
  readonly loads: (() => Promise<void>)[];
}

declare global {
  var alpenglowRendering: ServerRendering | undefined;
  /** Undefined if the page has no server-rendered HTML. The bundles of the shell and of the remotes share it. */
  var alpenglowHydration: Hydration | undefined;
}

/** Returns the first render of the page, on the server or in the browser. Returns undefined after hydration. */
export const getFirstRender = (): ServerRendering | Hydration | undefined =>
  globalThis.alpenglowRendering ?? globalThis.alpenglowHydration;

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
  return getFirstRender()?.at_ms ?? Date.now();
}

/**
 * Returns the time zone for dates. It is UTC on the server and for the first render in the browser, and then the zone
 * of the visitor.
 */
export function useTimeZone(): string | undefined {
  return useIsHydrated() ? undefined : 'UTC';
}
