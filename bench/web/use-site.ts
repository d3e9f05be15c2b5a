import type { Browser } from 'playwright-core';
import { launchBrowser, openVisitor, PHONE } from '../../tests/support/browser.ts';
import { median, percentile } from '../statistics.ts';
import { applyProfile } from './visit.ts';

const ROUNDS = 5;

export interface Interaction {
  /** The delay from an interaction to the next paint (INP), 75th percentile of all interactions of the session. */
  readonly inp_ms: number;
  /** Time from the click on a card of a list to the paint of the ad's heading, median. */
  readonly secondPage_ms: number;
  /**
   * Why the browser cannot restore a list from its back/forward cache after a visit to another document. Empty if the
   * page does not prevent this.
   */
  readonly cacheObstacles: readonly string[];
}

/** Uses the site as a visitor on a slow phone does: opens ads from a list, goes back, and changes filters. */
export async function useSite(browser: Browser, url: string): Promise<Interaction> {
  const context = await openVisitor(browser, url, { viewport: PHONE });
  try {
    const page = await context.newPage();
    await applyProfile(await context.newCDPSession(page));
    await page.addInitScript(() => {
      const delays: number[] = [];
      Object.assign(globalThis, { delays });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as PerformanceEventTiming[])
          if (entry.interactionId > 0) delays.push(entry.duration);
      }).observe({ type: 'event', durationThreshold: 16, buffered: true });
    });
    await page.goto('/listings', { waitUntil: 'networkidle', timeout: 60_000 });
    const opened_ms: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const link = page.locator('article h3 a').nth(round);
      const title = await link.innerText();
      // A visitor touches the link a moment before the click, so the browser can load the page early.
      await link.hover();
      await page.waitForTimeout(150);
      const start_ms = await page.evaluate(() => performance.now());
      await link.click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      opened_ms.push(
        await page.evaluate(
          (from_ms) =>
            new Promise<number>((resolve) => requestAnimationFrame(() => resolve(performance.now() - from_ms))),
          start_ms,
        ),
      );
      await page.goBack();
      await page.locator('article h3 a').first().waitFor();
    }
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').first().fill('massage');
    await page.waitForTimeout(1_500);
    const delays = await page.evaluate(() => (globalThis as unknown as { readonly delays: readonly number[] }).delays);
    return {
      inp_ms: percentile(delays, 75),
      secondPage_ms: median(opened_ms),
      cacheObstacles: await findCacheObstacles(url),
    };
  } finally {
    await context.close();
  }
}

/**
 * Lists what prevents the browser from restoring a page by Back. The reason `masked` is omitted, because it is not a
 * reason of the page: Chromium without a window never restores pages.
 */
async function findCacheObstacles(url: string): Promise<readonly string[]> {
  // A separate browser is used, because Playwright switches the back/forward cache off by default.
  const browser = await launchBrowser({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  try {
    const context = await openVisitor(browser, url, { viewport: PHONE });
    const page = await context.newPage();
    await page.goto('/listings', { waitUntil: 'networkidle' });
    await page.evaluate(() => Object.assign(globalThis, { isRestored: true }));
    await page.goto('/robots.txt');
    await page.goBack();
    await page.locator('article h3 a').first().waitFor();
    const reasons = await page.evaluate(() => {
      if ('isRestored' in globalThis) return [];
      const [navigation] = performance.getEntriesByType('navigation') as unknown as readonly {
        readonly notRestoredReasons: { readonly reasons: readonly { readonly reason: string }[] } | null;
      }[];
      return navigation?.notRestoredReasons?.reasons.map(({ reason }) => reason);
    });
    if (!reasons) throw new Error('The browser does not name the reasons why it has not restored a page');
    return reasons.filter((reason) => reason !== 'masked');
  } finally {
    await browser.close();
  }
}
