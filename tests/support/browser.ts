import type { Locale } from '@alpenglow/ui';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { PATIENCE_ms } from './patience.ts';
import { recordContext, takePictures } from './test-failures.ts';

/** Starts the system's Chromium, which the caller closes. Throws with what to install where there is none: browser tests are never skipped. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error(
      'Chromium was not found. Install it (Debian: apt-get install chromium) or name it in CHROMIUM_PATH.',
    );
  return chromium.launch({
    executablePath,
    timeout: PATIENCE_ms,
    args: [
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** The one Chromium of a worker, which all its tests use. Nobody closes it: it ends with the worker. */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await (shared ??= launchForWorker());
  if (browser.isConnected()) return browser;
  shared = undefined;
  return sharedBrowser();
}

function launchForWorker(): Promise<Browser> {
  // A worker whose runner was killed ends too, and its Chromium with it.
  process.once('disconnect', () => process.exit(1));
  return launchBrowser();
}

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

export interface VisitorOptions {
  /** Signed in with this token; absent: a guest. */
  readonly token?: string | undefined;
  /** Whether both gates and the banner are behind them. */
  readonly hasPassedGates?: boolean;
  readonly theme?: 'light' | 'dark';
  /** What the browser asks for; `de` also stands for `de-CH`. */
  readonly locale?: Locale;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly hasTouch?: boolean;
  /** Pixels of the screen for one of the page. */
  readonly deviceScaleFactor?: number;
}

const GATES_PASSED = {
  age_ok: 'true',
  guidelines_accepted: 'true',
  cookie_consent: JSON.stringify({ essential: true, analytics: false, date: '2026-01-01T00:00:00.000Z' }),
};

/**
 * A browser profile of its own on the site at `baseURL`. What is stored is stored once, so that what a visitor changes stays changed.
 * Nothing moves, so that what is looked at has come to rest.
 */
export async function openVisitor(
  browser: Browser,
  baseURL: string,
  options: VisitorOptions = {},
): Promise<BrowserContext> {
  const {
    token,
    hasPassedGates = true,
    theme = 'light',
    locale = 'en',
    viewport = DESKTOP,
    hasTouch = false,
    deviceScaleFactor = 1,
  } = options;
  const stored = { ...(hasPassedGates && GATES_PASSED), ...(token !== undefined && { vpsAuthToken: token }) };
  const context = await browser.newContext({
    baseURL,
    viewport,
    hasTouch,
    deviceScaleFactor,
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
  context.setDefaultTimeout(PATIENCE_ms);
  recordContext(context);
  return context;
}

/** Does something with a visitor's context, which is closed afterwards: for tests that run beside each other. */
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
    await takePictures(context);
    throw error;
  } finally {
    // A request may be under way still, whose answer was to be changed.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
}

/** Asked before a page is opened; what it returns waits until the page's live channel is open, as what happens before may not be told. */
export async function watchLive(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    globalThis.WebSocket = class extends WebSocket {
      constructor(...given: ConstructorParameters<typeof WebSocket>) {
        super(...given);
        this.addEventListener('open', () => Object.assign(globalThis, { isLive: true }));
      }
    };
  });
  return async () => void (await page.waitForFunction(() => 'isLive' in globalThis));
}

/** A visitor who has passed the gates and chosen their cookies. */
export function returningVisitor(browser: Browser, baseURL: string): Promise<BrowserContext> {
  return openVisitor(browser, baseURL);
}
