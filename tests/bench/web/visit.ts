import type { Browser, CDPSession, Page } from 'playwright-core';
import { openVisitor, PHONE } from '../../support/browser.ts';

/** The visitor of design/front-end.md, "Budget": 9 Mbps, 100 ms, a processor four times slower, nothing in the cache. */
const PROFILE = { bandwidth_bps: 9_000_000, latency_ms: 100, cpuSlowdown: 4, deviceScaleFactor: 2 };
/** A page that has loaded nothing and done nothing long for so long is quiet. */
const QUIET_ms = 2_500;

export interface Visit {
  readonly lcp_ms: number;
  /** Between first paint and quiet: what long tasks take over 50 ms. */
  readonly tbt_ms: number;
  readonly cls: number;
  readonly scripts_bytes: number;
  readonly styles_bytes: number;
  readonly images_bytes: number;
  /** Everything, the page itself and its data included; headers too. */
  readonly all_bytes: number;
  readonly requests: number;
}

interface Observed {
  fcp: number;
  lcp: number;
  cls: number;
  readonly longTasks: { readonly start: number; readonly duration: number }[];
}

/** Opens a page once, as somebody with an empty cache who has passed the gates, and measures it until it is quiet. */
export async function visit(browser: Browser, url: string, path: string): Promise<Visit> {
  const context = await openVisitor(browser, url, { viewport: PHONE, deviceScaleFactor: PROFILE.deviceScaleFactor });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const loads = await slowDown(session);
    await observe(page);
    await page.goto(path, { waitUntil: 'load', timeout: 60_000 });
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(QUIET_ms);
    const { fcp, lcp, cls, longTasks } = await page.evaluate(
      () => (globalThis as unknown as { observed: Observed }).observed,
    );
    const sum = (...types: readonly string[]) =>
      loads
        .filter(({ type }) => types.length === 0 || types.includes(type))
        .reduce((total, { bytes }) => total + bytes, 0);
    return {
      lcp_ms: lcp,
      tbt_ms: longTasks
        .filter(({ start, duration }) => start + duration > fcp)
        .reduce((total, { duration }) => total + Math.max(0, duration - 50), 0),
      cls,
      scripts_bytes: sum('Script'),
      styles_bytes: sum('Stylesheet'),
      images_bytes: sum('Image'),
      all_bytes: sum(),
      requests: loads.length,
    };
  } finally {
    await context.close();
  }
}

interface Load {
  readonly type: string;
  bytes: number;
}

/** Sets the profile and returns what is loaded from now on, as it came over the wire. */
async function slowDown(session: CDPSession): Promise<readonly Load[]> {
  const byRequest = new Map<string, Load>();
  const loads: Load[] = [];
  session.on('Network.responseReceived', ({ requestId, type }) => {
    const load = { type, bytes: 0 };
    byRequest.set(requestId, load);
    loads.push(load);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const load = byRequest.get(requestId);
    if (load) load.bytes = encodedDataLength;
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

async function observe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const observed = { fcp: 0, lcp: 0, cls: 0, longTasks: [] as { start: number; duration: number }[] };
    Object.assign(globalThis, { observed });
    const watch = (type: string, see: (entry: PerformanceEntry) => void) =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) see(entry);
      }).observe({ type, buffered: true });
    watch('paint', ({ name, startTime }) => {
      if (name === 'first-contentful-paint') observed.fcp = startTime;
    });
    watch('largest-contentful-paint', ({ startTime }) => (observed.lcp = startTime));
    watch('longtask', ({ startTime, duration }) => observed.longTasks.push({ start: startTime, duration }));
    // The largest window of shifts less than a second apart and five seconds long, as browsers define it.
    let shifts: { start: number; value: number }[] = [];
    watch('layout-shift', (entry) => {
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
