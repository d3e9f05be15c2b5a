import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Upstreams } from '../src/config.ts';

/** One process of a service. */
export interface Upstream {
  readonly url: string;
  /** Requests and channels it has of us now. */
  active: number;
  /** Whether it said, when it was last asked, that it takes requests. */
  isReady: boolean;
}

export interface UpstreamGroup {
  /** The least busy process that is ready and was not tried; failing that, one that is not ready: its own answer says more than ours. Null when all were tried. */
  pick(tried: ReadonlySet<Upstream>): Upstream | null;
  readonly all: readonly Upstream[];
  stop(): Promise<void>;
}

const ASK_EVERY_ms = 500;
const ANSWER_WITHIN_ms = 1_000;
const LOOK_UP_EVERY_ms = 2_000;
const LOOK_UP_WITHIN_ms = 2_000;

/**
 * Follows a service's processes: each URL's host may be a name of several addresses, each of which is a process, and they come and go.
 * Each is asked for its `/readyz`. Resolves once each was asked once.
 */
export async function followUpstreams(urls: readonly string[]): Promise<UpstreamGroup> {
  const byUrl = new Map<string, Upstream>();
  const stopped = new AbortController();
  let turn = 0;

  /** The addresses of each name, as they were found last. */
  const found = new Map<string, readonly string[]>();

  async function lookUp(): Promise<void> {
    // A name that cannot be looked up now is no reason to forget who was there.
    await Promise.all(urls.map(async (url) => found.set(url, (await addressesOf(url)) ?? found.get(url) ?? [])));
    const now = new Set([...found.values()].flat());
    for (const url of now) if (!byUrl.has(url)) byUrl.set(url, { url, active: 0, isReady: false });
    for (const url of byUrl.keys()) if (!now.has(url)) byUrl.delete(url);
  }
  async function ask(upstream: Upstream): Promise<void> {
    try {
      const { ok } = await fetch(`${upstream.url}/readyz`, {
        signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(ANSWER_WITHIN_ms)]),
      });
      upstream.isReady = ok;
    } catch {
      upstream.isReady = false;
    }
  }
  const askAll = () => Promise.all([...byUrl.values()].map(ask));
  /** Each at its own pace: a slow name server must not keep anybody from being asked. */
  async function repeat(work: () => Promise<unknown>, every_ms: number): Promise<void> {
    while (!stopped.signal.aborted) {
      await pause(every_ms, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      if (!stopped.signal.aborted) await work();
    }
  }
  await lookUp();
  await askAll();
  const following = [repeat(askAll, ASK_EVERY_ms), repeat(lookUp, LOOK_UP_EVERY_ms)];

  return {
    get all() {
      return [...byUrl.values()];
    },
    pick(tried) {
      const untried = [...byUrl.values()].filter((upstream) => !tried.has(upstream));
      const ready = untried.filter(({ isReady }) => isReady);
      const candidates = ready.length > 0 ? ready : untried;
      const least = Math.min(...candidates.map(({ active }) => active));
      const idlest = candidates.filter(({ active }) => active === least);
      turn += 1;
      return idlest[turn % idlest.length] ?? null;
    },
    async stop() {
      stopped.abort();
      await following[0];
    },
  };
}

/** The URL with each address of its host, without a slash at the end; null when the name cannot be looked up now. */
async function addressesOf(text: string): Promise<readonly string[] | null> {
  const url = new URL(text);
  const trimmed = () => url.href.replace(/\/$/u, '');
  if (isIP(url.hostname.replace(/^\[|\]$/gu, '')) !== 0) return [trimmed()];
  const addresses = await Promise.race([
    lookup(url.hostname, { all: true }),
    pause(LOOK_UP_WITHIN_ms, null, { ref: false }),
  ]).catch(() => null);
  return (
    addresses?.map(({ address, family }) => {
      url.hostname = family === 6 ? `[${address}]` : address;
      return trimmed();
    }) ?? null
  );
}

/** Follows every service a gateway sends requests to. */
export async function followServices(urls: Upstreams): Promise<Readonly<Record<keyof Upstreams, UpstreamGroup>>> {
  const [commandApi, queryApi, shell] = await Promise.all([
    followUpstreams(urls.commandApi),
    followUpstreams(urls.queryApi),
    followUpstreams(urls.shell),
  ]);
  return { commandApi, queryApi, shell };
}
