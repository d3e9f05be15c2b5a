import type { LiveTopic } from '@alpenglow/domain';
import type { Locale } from '@alpenglow/ui';
import { chromium, firefox, type Browser, type BrowserContext, type LaunchOptions, type Page } from 'playwright-core';
import { extendTimers, TOAST_LIFETIME_ms } from './browser-failures.ts';
import { findChromium } from './chromium.mjs';
import { findFirefox } from './other-browsers.mjs';
import { MAX_WAIT_ms } from './max-wait.ts';
import { recordContext, takeScreenshots } from './test-failures.ts';

/**
 * Starts the installed Chromium. The caller must close it. Throws with installation instructions if Chromium is
 * missing, because browser tests are never skipped.
 */
export async function launchBrowser({
  args = [],
  ignoreDefaultArgs = [],
}: Pick<LaunchOptions, 'args'> & { readonly ignoreDefaultArgs?: string[] } = {}): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error(
      'Chromium was not found. Install it (Debian: apt-get install chromium) or name it in CHROMIUM_PATH.',
    );
  return chromium.launch({
    executablePath,
    timeout: MAX_WAIT_ms,
    ignoreDefaultArgs,
    args: [
      ...args,
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}

/** Starts the installed Firefox, which Playwright controls with WebDriver BiDi. The caller must close it. */
export async function launchFirefox(): Promise<Browser> {
  const executablePath = findFirefox();
  if (executablePath === undefined) throw new Error('Firefox was not found.');
  return firefox.launch({ channel: 'moz-firefox', executablePath, timeout: MAX_WAIT_ms });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser that all tests of this Vitest worker share. The browser ends together with the worker. */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await (shared ??= launchForWorker());
  if (browser.isConnected()) return browser;
  shared = undefined;
  return sharedBrowser();
}

function launchForWorker(): Promise<Browser> {
  // If the test runner is killed, the worker exits, which also ends its browser.
  process.once('disconnect', () => process.exit(1));
  return launchBrowser();
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

export interface VisitorOptions {
  /** Session token of the visitor's account. Without it, the visitor is a guest. */
  readonly token?: string | undefined;
  /** True if the visitor has passed the age gate and the guidelines gate, and has closed the cookie banner. */
  readonly hasPassedGates?: boolean;
  /** False if the cookie banner is still open. */
  readonly hasChosenCookies?: boolean;
  readonly theme?: 'light' | 'dark';
  /** Language of the browser. `de` means `de-CH`. */
  readonly locale?: Locale;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly hasTouch?: boolean;
  /** Number of device pixels per CSS pixel. */
  readonly deviceScaleFactor?: number;
  /** False if the browser runs no scripts. Default: true. */
  readonly hasScripts?: boolean;
  /**
   * True if the browser accepts the service worker. Otherwise the service worker is blocked, because failures that a
   * test injects do not affect its requests.
   */
  readonly hasServiceWorker?: boolean;
}

const GATES_PASSED = {
  age_ok: 'true',
  guidelines_accepted: 'true',
  cookie_consent: JSON.stringify({ essential: true, analytics: false, date: '2026-01-01T00:00:00.000Z' }),
};

/**
 * Opens a new browser profile for the site at `baseURL`. The initial values of the local storage are set only once, so
 * the visitor can change them. Animations are disabled, so that screenshots and checks include the final state. Toasts
 * stay longer, because a busy test may check the page only after their usual lifetime.
 */
export async function openVisitor(
  browser: Browser,
  baseURL: string,
  options: VisitorOptions = {},
): Promise<BrowserContext> {
  const {
    token,
    hasPassedGates = true,
    hasChosenCookies = true,
    theme = 'light',
    locale = 'en',
    viewport = DESKTOP,
    hasTouch = false,
    deviceScaleFactor = 1,
    hasScripts = true,
    hasServiceWorker = false,
  } = options;
  const { cookie_consent, ...passed } = GATES_PASSED;
  const stored = {
    ...(hasPassedGates && passed),
    ...(hasPassedGates && hasChosenCookies && { cookie_consent }),
    ...(token !== undefined && { vpsAuthToken: token }),
  };
  const context = await browser.newContext({
    baseURL,
    viewport,
    hasTouch,
    deviceScaleFactor,
    javaScriptEnabled: hasScripts,
    serviceWorkers: hasServiceWorker ? 'allow' : 'block',
    locale: locale === 'en' ? 'en-US' : `${locale}-CH`,
    colorScheme: theme,
    reducedMotion: 'reduce',
    storageState: {
      cookies: [],
      origins: [
        {
          origin: new URL(baseURL).origin,
          localStorage: Object.entries(stored).map(([name, value]) => ({ name, value })),
        },
      ],
    },
  });
  context.setDefaultTimeout(MAX_WAIT_ms);
  if (hasScripts) context.on('page', waitForScriptsAfterNavigation);
  await extendTimers(context, TOAST_LIFETIME_ms, 4);
  recordContext(context);
  return context;
}

/** Waits until React has taken over the HTML of a server-rendered page. Returns at once on other pages. */
export async function waitForTakeover(page: Page, timeout_ms = MAX_WAIT_ms): Promise<void> {
  // One variable exists until the shell's script runs, and the other one from then until React has taken over.
  await page.waitForFunction(
    () => globalThis.alpenglowPresses === undefined && globalThis.alpenglowHydration === undefined,
    null,
    { timeout: timeout_ms },
  );
}

/** The longest wait for scripts after a navigation. It is short, because some tests open pages whose scripts fail. */
const MAX_SCRIPT_WAIT_ms = 5_000;

/**
 * Makes `goto` and `reload` wait until React has taken over the server-rendered HTML, so that a test uses the page as a
 * visitor does some moments later. A test that sets `waitUntil` does not wait: it uses the page before.
 */
function waitForScriptsAfterNavigation(page: Page): void {
  const { goto, reload } = page;
  const settle = () => waitForTakeover(page, MAX_SCRIPT_WAIT_ms).catch(() => undefined);
  page.goto = async (url, options) => {
    const response = await goto.call(page, url, options);
    if (options?.waitUntil === undefined) await settle();
    return response;
  };
  page.reload = async (options) => {
    const response = await reload.call(page, options);
    if (options?.waitUntil === undefined) await settle();
    return response;
  };
}

/**
 * Calls `use` with the browser context of a visitor, and then closes the context. Concurrent tests use this function.
 */
export async function withVisitor<Result>(
  browser: Browser,
  baseURL: string,
  options: VisitorOptions,
  use: (context: BrowserContext) => Promise<Result>,
): Promise<Result> {
  const context = await openVisitor(browser, baseURL, options);
  try {
    return await use(context);
  } catch (error) {
    await takeScreenshots(context);
    throw error;
  } finally {
    // An intercepted request may still be pending. Its error is ignored.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
}

/**
 * Call this function before the page opens. Returns a function that waits until the live channel, the WebSocket of the
 * page, is subscribed to what the page displays. Tests wait for it because earlier changes cause no notification. The
 * function never resolves on a page that displays no live data. After a navigation without a reload, name a topic of
 * the new page, because the page sends its new topics a moment later.
 */
export async function trackLiveChannel(page: Page): Promise<(topic?: LiveTopic) => Promise<void>> {
  await page.addInitScript(() => {
    globalThis.WebSocket = class extends WebSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args);
        this.addEventListener('message', ({ data }) => {
          const { type, id } = JSON.parse(data as string) as { readonly type: string; readonly id: number };
          if (type === 'subscribed') Object.assign(globalThis, { confirmedSubscription: id });
        });
      }
      override send(data: string): void {
        const { id, topics } = JSON.parse(data) as { readonly id: number; readonly topics: readonly unknown[] };
        Object.assign(globalThis, {
          lastSubscription: id,
          sentSubscription: topics.length > 0 ? id : null,
          sentTopics: topics.map((topic) => JSON.stringify(topic)),
        });
        super.send(data);
      }
    };
  });
  return async (topic) =>
    void (await page.waitForFunction(
      (text) => {
        const {
          sentSubscription: sent = null,
          sentTopics: topics = [],
          confirmedSubscription: confirmed,
        } = globalThis as {
          sentSubscription?: number | null;
          sentTopics?: readonly string[];
          confirmedSubscription?: number;
        };
        return sent !== null && sent === confirmed && (text === null || topics.includes(text));
      },
      topic === undefined ? null : JSON.stringify(topic),
    ));
}

/** Opens a visitor who has passed the age gate and the guidelines gate, and has accepted only essential cookies. */
export function returningVisitor(browser: Browser, baseURL: string): Promise<BrowserContext> {
  return openVisitor(browser, baseURL);
}

/** Closes the dialog of the product that shows exactly `text` with one of its buttons. */
export async function closeDialog(page: Page, text: string, button: 'OK' | 'Cancel'): Promise<void> {
  const dialog = page.getByRole('dialog', { name: text, exact: true });
  await dialog.getByRole('button', { name: button, exact: true }).click();
}
