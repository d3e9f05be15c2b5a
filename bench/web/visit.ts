import type { Browser, CDPSession, Page } from 'playwright-core';
import { openVisitor, PHONE } from '../../tests/support/browser.ts';

/**
 * Device and network of the visitor in the size budget (F-25 to F-27). The processor is slowed down by a factor of 4.
 */
const PROFILE = { bandwidth_bps: 9_000_000, latency_ms: 100, cpuSlowdown: 4, deviceScaleFactor: 2 };
/** Time without requests or long tasks after which a page counts as idle. */
const QUIET_ms = 2_500;

export interface Visit {
  readonly lcp_ms: number;
  /**
   * Total blocking time until the page is idle. It adds up the parts of long tasks beyond 50 ms, after the first paint.
   */
  readonly tbt_ms: number;
  readonly cls: number;
  /** The transferred bytes of scripts, style sheets and images, without headers, as in the budget of F-25. */
  readonly scripts_bytes: number;
  readonly styles_bytes: number;
  readonly images_bytes: number;
  /** All transferred bytes, including the page, its data and the headers. */
  readonly all_bytes: number;
  readonly requests: number;
}

interface Observed {
  fcp: number;
  lcp: number;
  cls: number;
  readonly longTasks: { readonly start: number; readonly duration: number }[];
}

/**
 * Opens a page with an empty cache, as a visitor who has passed the age gate and the guidelines gate. Measures the page
 * until it is idle.
 */
export async function visit(browser: Browser, url: string, path: string): Promise<Visit> {
  const context = await openVisitor(browser, url, { viewport: PHONE, deviceScaleFactor: PROFILE.deviceScaleFactor });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const loads = await applyProfile(session);
    await installObservers(page);
    await page.goto(path, { waitUntil: 'load', timeout: 60_000 });
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(QUIET_ms);
    const { fcp, lcp, cls, longTasks } = await page.evaluate(
      () => (globalThis as unknown as { observed: Observed }).observed,
    );
    const sum = (...types: readonly string[]) =>
      loads.filter(({ type }) => types.includes(type)).reduce((total, { body_bytes }) => total + body_bytes, 0);
    return {
      lcp_ms: lcp,
      tbt_ms: longTasks
        .filter(({ start, duration }) => start + duration > fcp)
        .reduce((total, { duration }) => total + Math.max(0, duration - 50), 0),
      cls,
      scripts_bytes: sum('Script'),
      styles_bytes: sum('Stylesheet'),
      images_bytes: sum('Image'),
      all_bytes: loads.reduce((total, { headers_bytes, body_bytes }) => total + headers_bytes + body_bytes, 0),
      requests: loads.length,
    };
  } finally {
    await context.close();
  }
}

interface Load {
  readonly type: string;
  readonly headers_bytes: number;
  /** The bytes of the body as transferred, which is compressed. */
  body_bytes: number;
}

/**
 * Applies the network and processor profile. Returns a list to which every later response is added, with its
 * transferred bytes.
 */
export async function applyProfile(session: CDPSession): Promise<readonly Load[]> {
  const byRequest = new Map<string, Load>();
  const loads: Load[] = [];
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    // When a response begins, only its headers were transferred.
    const load = { type, headers_bytes: response.encodedDataLength, body_bytes: 0 };
    byRequest.set(requestId, load);
    loads.push(load);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const load = byRequest.get(requestId);
    if (load) load.body_bytes = Math.max(0, encodedDataLength - load.headers_bytes);
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const throughput = PROFILE.bandwidth_bps / 8;
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: PROFILE.latency_ms,
    downloadThroughput: throughput,
    uploadThroughput: throughput,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: PROFILE.cpuSlowdown });
  return loads;
}

async function installObservers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const observed = { fcp: 0, lcp: 0, cls: 0, longTasks: [] as { start: number; duration: number }[] };
    Object.assign(globalThis, { observed });
    const observeEntries = (type: string, onEntry: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) onEntry(entry);
      }).observe({ type, buffered: true });
    observeEntries('paint', ({ name, startTime }) => {
      if (name === 'first-contentful-paint') observed.fcp = startTime;
    });
    observeEntries('largest-contentful-paint', ({ startTime }) => (observed.lcp = startTime));
    observeEntries('longtask', ({ startTime, duration }) => observed.longTasks.push({ start: startTime, duration }));
    // The layout shift score is the largest sum of the shifts in one time window. As in browsers, consecutive shifts in
    // a window are less than one second apart, and a window is at most five seconds long.
    let shifts: { start: number; value: number }[] = [];
    observeEntries('layout-shift', (entry) => {
      const { startTime, value, hadRecentInput } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      };
      if (hadRecentInput) return;
      const first = shifts[0];
      const last = shifts.at(-1);
      if (first && last && (startTime - last.start > 1_000 || startTime - first.start > 5_000)) shifts = [];
      shifts.push({ start: startTime, value });
      observed.cls = Math.max(
        observed.cls,
        shifts.reduce((total, shift) => total + shift.value, 0),
      );
    });
  });
}
