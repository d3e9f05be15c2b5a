/**
 * The first render of a page. The server renders a page without knowing the visitor's clock, time zone and storage. The
 * first render in the browser must return the same HTML, because React takes over the HTML of the server.
 */
import { useSyncExternalStore } from 'react';

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
}

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
