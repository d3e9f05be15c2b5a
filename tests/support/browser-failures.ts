import type { BrowserContext, Page, Route } from 'playwright-core';

/** Method and path of a request, such as `POST /api/auth/login`. A `*` matches one segment of the path. */
export type RequestPattern = `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`;

/** A failure that is injected into a request. */
export type Failure =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection of the request fails. */
  | { readonly kind: 'abort' }
  /** The request gets no response until `remove` is called. */
  | { readonly kind: 'hold' };

/**
 * Returns a failure that replaces the response of the server. A string body is sent as text, and any other body as
 * JSON.
 */
export const respondWith = (
  status: number,
  body: unknown = '',
  headers: Readonly<Record<string, string>> = {},
): Failure => ({
  kind: 'response',
  status,
  body,
  headers,
});
export const noConnection: Failure = { kind: 'abort' };
export const noResponse: Failure = { kind: 'hold' };

export interface InjectedFailure {
  /** Returns the number of requests that the failure has affected. */
  count(): number;
  /** Removes the failure. Requests without a response are then sent to the server. */
  remove(): Promise<void>;
}

function addressTest(path: string): (url: URL) => boolean {
  const parts = path.split('/');
  return ({ pathname }) => {
    const pathParts = pathname.split('/');
    return pathParts.length === parts.length && parts.every((part, index) => part === '*' || part === pathParts[index]);
  };
}

/** Injects a failure into every matching request between the browser and the server. */
export async function injectFailure(
  target: Page | BrowserContext,
  call: RequestPattern,
  failure: Failure,
): Promise<InjectedFailure> {
  const [method = '', path = ''] = call.split(' ');
  const matches = addressTest(path);
  let count = 0;
  const routesOnHold: Route[] = [];
  const handler = async (route: Route) => {
    if (route.request().method() !== method) return route.fallback();
    count += 1;
    if (failure.kind === 'abort') return route.abort('connectionfailed');
    if (failure.kind === 'hold') {
      routesOnHold.push(route);
      return;
    }
    const { status, body, headers } = failure;
    const sent =
      typeof body === 'string'
        ? { contentType: 'text/plain', body }
        : { contentType: 'application/json', body: JSON.stringify(body) };
    await route.fulfill({ status, headers: { ...headers }, ...sent });
  };
  await target.route(matches, handler);
  return {
    count: () => count,
    async remove() {
      await target.unroute(matches, handler);
      await Promise.all(routesOnHold.splice(0).map((route) => route.continue().catch(() => undefined)));
    },
  };
}

/**
 * Shortens the time limits of requests in the current page and in all pages that the tab loads later. Also shortens
 * timers of more than 90 seconds, because the application uses such timers only as time limits.
 */
export async function shortenTimeLimits(page: Page, limit_ms = 1_000): Promise<void> {
  await page.addInitScript(hurry, limit_ms);
  await page.evaluate(hurry, limit_ms);
}

/** Time after which a toast disappears (`ui/src/components/toast.tsx`). */
export const TOAST_LIFETIME_ms = 6_000;

/** Maximum time in which a page restores its scroll position (`shell/src/frame/scroll/use-scroll-restoration.ts`). */
export const SCROLL_RESTORE_LIMIT_ms = 3_000;

/**
 * Multiplies the delay of all timers of exactly `wait_ms` by `factor`. Takes effect when a page is loaded next. The
 * test can then act before such a timer ends, or check what is shown until then, even on a busy machine.
 */
export async function extendTimers(target: Page | BrowserContext, wait_ms: number, factor = 10): Promise<void> {
  await target.addInitScript(
    ([wait, extended]) => {
      const later = globalThis.setTimeout.bind(globalThis);
      globalThis.setTimeout = ((handler: TimerHandler, time?: number, ...args: unknown[]) =>
        later(handler, time === wait ? extended : time, ...args)) as typeof setTimeout;
    },
    [wait_ms, factor * wait_ms] as const,
  );
}

/**
 * Divides the times of all later events of the current page by `factor`. Presses that must follow each other quickly
 * then do so, even on a busy machine.
 */
export async function slowEventTimes(page: Page, factor = 100): Promise<void> {
  await page.evaluate((divisor) => {
    const real = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp');
    Object.defineProperty(Event.prototype, 'timeStamp', {
      configurable: true,
      get(this: Event) {
        return Number(real?.get?.call(this)) / divisor;
      },
    });
  }, factor);
}

/** Shortens time limits to `limit_ms`. Runs in the browser page. */
function hurry(limit_ms: number): void {
  const LONG_ms = 90_000;
  const abortAfter = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (time) => abortAfter(Math.min(time, limit_ms));
  const timeout = Object.getOwnPropertyDescriptor(XMLHttpRequest.prototype, 'timeout');
  Object.defineProperty(XMLHttpRequest.prototype, 'timeout', {
    ...timeout,
    set(value: number) {
      timeout?.set?.call(this, Math.min(value, limit_ms));
    },
  });
  const later = globalThis.setTimeout.bind(globalThis);
  globalThis.setTimeout = ((handler: TimerHandler, time?: number, ...args: unknown[]) =>
    later(handler, (time ?? 0) > LONG_ms ? limit_ms : time, ...args)) as typeof setTimeout;
}
