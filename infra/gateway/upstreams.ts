import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Upstreams } from '../src/service/config.ts';

/** One process of a service to which the gateway forwards requests. */
export interface Upstream {
  readonly url: string;
  /** The number of open requests and WebSockets that this gateway has sent to the process. */
  active: number;
  isReady: boolean;
}

export type UpstreamGroup = Awaited<ReturnType<typeof watchUpstreams>>;

const CHECK_INTERVAL_ms = 500;
const CHECK_TIMEOUT_ms = 1_000;
const LOOKUP_INTERVAL_ms = 2_000;
const LOOKUP_TIMEOUT_ms = 2_000;

/**
 * Watches which processes of a service are available. The host name of a URL may have several IP addresses, which may
 * change, and each IP address is one process. Requests `/readyz` of each process regularly. Resolves after the first
 * check of every process.
 */
export async function watchUpstreams(urls: readonly string[]) {
  const byUrl = new Map<string, Upstream>();
  const stopped = new AbortController();
  let pickCount = 0;

  /** The last known IP addresses of the host of each URL, as URLs. */
  const lastAddresses = new Map<string, readonly string[]>();

  async function updateAddresses(): Promise<void> {
    // If the lookup of a host name fails, its last known IP addresses are used.
    await Promise.all(
      urls.map(async (url) => lastAddresses.set(url, (await resolveAddresses(url)) ?? lastAddresses.get(url) ?? [])),
    );
    const current = new Set([...lastAddresses.values()].flat());
    for (const url of current) if (!byUrl.has(url)) byUrl.set(url, { url, active: 0, isReady: false });
    for (const url of byUrl.keys()) if (!current.has(url)) byUrl.delete(url);
  }
  async function checkReady(upstream: Upstream): Promise<void> {
    try {
      const { ok } = await fetch(`${upstream.url}/readyz`, {
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(CHECK_TIMEOUT_ms)]),
      });
      upstream.isReady = ok;
    } catch {
      upstream.isReady = false;
    }
  }
  const checkAll = () => Promise.all([...byUrl.values()].map(checkReady));
  /**
   * Repeats `work` at intervals. The two kinds of checks run in separate loops, so that a slow name server does not
   * delay the readiness checks.
   */
  async function repeat(work: () => Promise<unknown>, every_ms: number): Promise<void> {
    while (!stopped.signal.aborted) {
      await pause(every_ms, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      if (!stopped.signal.aborted) await work();
    }
  }
  await updateAddresses();
  await checkAll();
  const loops = [repeat(checkAll, CHECK_INTERVAL_ms), repeat(updateAddresses, LOOKUP_INTERVAL_ms)];

  return {
    get all() {
      return [...byUrl.values()];
    },
    /**
     * Returns the process with the fewest open requests that is ready and not in `tried`. If no process is ready,
     * returns a process that is not ready, because its error response is more specific than one of the gateway. Returns
     * null if all processes are in `tried`.
     */
    pickLeastBusy(tried: ReadonlySet<Upstream>): Upstream | null {
      const untried = [...byUrl.values()].filter((upstream) => !tried.has(upstream));
      const ready = untried.filter(({ isReady }) => isReady);
      const candidates = ready.length > 0 ? ready : untried;
      const fewest = Math.min(...candidates.map(({ active }) => active));
      const leastBusy = candidates.filter(({ active }) => active === fewest);
      pickCount += 1;
      return leastBusy[pickCount % leastBusy.length] ?? null;
    },
    async stop(): Promise<void> {
      stopped.abort();
      await loops[0];
    },
  };
}

/**
 * Returns one URL, without a trailing slash, for each IP address of the host. Returns null if the name lookup fails.
 */
async function resolveAddresses(text: string): Promise<readonly string[] | null> {
  const url = new URL(text);
  const toUrl = () => url.href.replace(/\/$/u, '');
  if (isIP(url.hostname.replace(/^\[|\]$/gu, '')) !== 0) return [toUrl()];
  const addresses = await Promise.race([
    lookup(url.hostname, { all: true }),
    pause(LOOKUP_TIMEOUT_ms, null, { ref: false }),
  ]).catch(() => null);
  return (
    addresses?.map(({ address, family }) => {
      url.hostname = family === 6 ? `[${address}]` : address;
      return toUrl();
    }) ?? null
  );
}

/** Watches the processes of all services behind the gateway. */
export async function watchServices(urls: Upstreams): Promise<Readonly<Record<keyof Upstreams, UpstreamGroup>>> {
  const watch = async (name: keyof Upstreams) => [name, await watchUpstreams(urls[name])] as const;
  const groups = await Promise.all((['commandApi', 'queryApi', 'shell'] as const).map(watch));
  return Object.fromEntries(groups) as Record<keyof Upstreams, UpstreamGroup>;
}
