import type { BrowserContext, Page, Route } from 'playwright-core';

/** `POST /api/auth/login`; a `*` stands for one part of the path. */
export type CallPattern = `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`;

/** What befalls a call on its way. */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** No connection. */
  | { readonly kind: 'abort' }
  /** No answer until it is released. */
  | { readonly kind: 'hold' };

/** An answer that is not what the server would say. An object goes as JSON, a string as it is. */
export const answer = (status: number, body: unknown = '', headers: Readonly<Record<string, string>> = {}): Fault => ({
  kind: 'answer',
  status,
  body,
  headers,
});
export const noConnection: Fault = { kind: 'abort' };
export const noAnswer: Fault = { kind: 'hold' };

export interface InjectedFault {
  /** How many calls it has met. */
  count(): number;
  /** Lets calls through again, those held back too. */
  lift(): Promise<void>;
}

function addressTest(path: string): (url: URL) => boolean {
  const parts = path.split('/');
  return ({ pathname }) => {
    const given = pathname.split('/');
    return given.length === parts.length && parts.every((part, index) => part === '*' || part === given[index]);
  };
}

/** Lets a fault befall every call of one kind, between browser and server. */
export async function inject(target: Page | BrowserContext, call: CallPattern, fault: Fault): Promise<InjectedFault> {
  const [method = '', path = ''] = call.split(' ');
  const isMeant = addressTest(path);
  let met = 0;
  const held: Route[] = [];
  const handler = async (route: Route) => {
    if (route.request().method() !== method) return route.fallback();
    met += 1;
    if (fault.kind === 'abort') return route.abort('connectionfailed');
    if (fault.kind === 'hold') {
      held.push(route);
      return;
    }
    const { status, body, headers } = fault;
    const sent =
      typeof body === 'string'
        ? { contentType: 'text/plain', body }
        : { contentType: 'application/json', body: JSON.stringify(body) };
    await route.fulfill({ status, headers: { ...headers }, ...sent });
  };
  await target.route(isMeant, handler);
  return {
    count: () => met,
    async lift() {
      await target.unroute(isMeant, handler);
      await Promise.all(held.splice(0).map((route) => route.continue().catch(() => undefined)));
    },
  };
}

/**
 * Lets every time limit of a page end early, from now on and after the next load: `AbortSignal.timeout`, `XMLHttpRequest.timeout`, and
 * timers of more than a minute and a half, which only limits on loading are.
 */
export async function hurryTimeLimits(page: Page, limit_ms = 1_000): Promise<void> {
  await page.addInitScript(hurry, limit_ms);
  await page.evaluate(hurry, limit_ms);
}

/** So long a page looks for the place where it was left (`shell/src/frame/scroll/use-scroll.ts`). */
export const PLACE_SOUGHT_ms = 3_000;

/** From its next load on, what a page does after `wait_ms` it does after ten times as long: what has to come before may be slow on a busy machine. */
export async function allowTime(page: Page, wait_ms: number): Promise<void> {
  await page.addInitScript((wait) => {
    const later = globalThis.setTimeout.bind(globalThis);
    globalThis.setTimeout = ((handler: TimerHandler, time?: number, ...args: unknown[]) =>
      later(handler, time === wait ? 10 * wait : time, ...args)) as typeof setTimeout;
  }, wait_ms);
}

/** Runs in the page. */
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
