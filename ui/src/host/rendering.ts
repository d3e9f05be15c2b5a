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
  /** The chunk names of the lazily loaded parts that the HTML contains, for example pages. */
  readonly lazyParts: Set<string>;
  /** True during the first render on the server, which only collects the queries of the page and omits the frame. */
  readonly isCollectingQueries: boolean;
}

/**
 * The code and texts of a server-rendered page. The server loads them before it renders the page. The browser loads
 * them before React takes over the HTML.
 */
export interface Hydration {
  /** The time at which the server has rendered the page, in milliseconds since 1970. */
  readonly at_ms: number;
  readonly locale: Locale;
  /** The chunk names of the lazily loaded parts of this HTML. On the server, it includes all names. */
  readonly parts: { includes(chunk: string): boolean };
  /** Functions that load the code and the texts of this HTML. */
  readonly loaders: (() => Promise<void>)[];
}

declare global {
  var alpenglowRendering: ServerRendering | undefined;
  /**
   * In the browser, it is undefined if the page has no server-rendered HTML, and after React has taken it over. The
   * bundles of the shell and of the remotes share it.
   */
  var alpenglowHydration: Hydration | undefined;
  /**
   * The clock of the server minus that of the browser, in milliseconds. Undefined if they agree, or before the first
   * response. The shell sets it for all bundles.
   */
  var alpenglowClockOffset_ms: number | undefined;
}

/**
 * Returns data about the first render of the page while that render is running: on the server, or until React has taken
 * over the HTML in the browser. Returns undefined afterwards.
 */
export const getFirstRenderData = (): ServerRendering | Hydration | undefined =>
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
  return getFirstRenderData()?.at_ms ?? Date.now();
}

/**
 * Returns the time zone for dates. It is UTC on the server and for the first render in the browser, and then the zone
 * of the visitor.
 */
export function useTimeZone(): string | undefined {
  return useIsHydrated() ? undefined : 'UTC';
}
