import type { StreamId } from '@alpenglow/domain';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestCluster } from '../tests/support/cluster.ts';
import { runClosedLoop, type LoadResult } from './closed-loop.ts';
import { CITY, waitUntilProjected, type StoreAccess, type StoredAd } from './cluster-ads.ts';
import { ALL_DUTIES, holdDuties } from './cluster-duties.ts';
import { msPerUnit, type ByPart, type Meter, type Usage } from './cluster-meter.ts';
import { PASSWORD } from '../tests/support/api-client.ts';
import type { Writers } from './cluster-writers.ts';
import { createSampleEvent } from './event-store.ts';
import { createHttpClient } from './http-client.ts';
import { median } from './statistics.ts';

export interface UnitCost {
  readonly perSecond: number;
  /** Processor milliseconds per unit of work, for each part of the cluster. */
  readonly cpu_ms: ByPart;
}

interface HopFigures {
  readonly direct_ms: number;
  readonly throughGateway_ms: number;
}

export interface CostFigures {
  /**
   * Costs of an append to the event store with 64 writers, while no projection or reactor runs. The processor time of
   * the writers is not included.
   */
  readonly append: UnitCost;
  /**
   * Costs of changing an ad through command-api. Includes the append of the event, the updates of the read models, the
   * live relay, and the messages that each query-api process receives.
   */
  readonly write: UnitCost & { readonly p50_ms: number };
  /** Costs of the first page of an unchanged list, whose response is cached. */
  readonly cachedList: UnitCost;
  /** Costs of the first page of an uncached list by city and category. The city contains all stored ads. */
  readonly listRead: UnitCost;
  readonly adPage: UnitCost;
  readonly signIn: UnitCost;
  /** Costs of the home page as HTML. */
  readonly sitePage: UnitCost;
  /** Costs of a cached list that is requested through the gateway. */
  readonly gateway: UnitCost;
  /** Median response times of a request over one connection, once sent directly and once through the gateway. */
  readonly hop: { readonly read: HopFigures; readonly write: HopFigures };
  readonly listSize_bytes: number;
  /** Disk space of an event, including indexes. */
  readonly event_bytes: number;
}

const WRITERS = 64;
const CONNECTIONS = 16;
const HOP_ROUNDS = 5;
const HOP_ROUND_ms = 1_000;
const WARM_UP_ms = 1_000;
const SETTLE_ms = 2_000;
/** Categories of the requested lists of ads. The empty category selects all ads of the city. */
const CATEGORIES = ['', 'escort', 'massage', 'companion', 'fetish'];
const PARALLEL_SIGN_INS = 2;

/**
 * Measures the costs of one unit of each kind of work, such as an append or a list request. The result contains the
 * processor time that each part of the cluster needs for this unit.
 */
export async function benchCosts({
  cluster,
  access,
  ads,
  meter,
  writers,
  duration_ms,
}: {
  cluster: TestCluster;
  access: StoreAccess;
  ads: readonly StoredAd[];
  meter: Meter;
  writers: Writers;
  duration_ms: number;
}): Promise<CostFigures> {
  const urlOf = (service: string) => cluster.members.find((member) => member.service === service)?.url ?? '';
  const [queryApi, shell] = [urlOf('query-api'), urlOf('shell')];
  const http = createHttpClient({ connections: CONNECTIONS });
  const singleConnection = createHttpClient({ connections: 1 });
  const waitUntilSettled = async () => {
    await waitUntilProjected(access.pool, await access.store.readHead());
    await pause(SETTLE_ms);
  };
  const toUnitCost = ({ result, cpu_s }: Usage<LoadResult>): UnitCost => ({
    perSecond: result.perSecond,
    cpu_ms: msPerUnit(cpu_s, result.count),
  });

  async function measureReads(address: () => string): Promise<UnitCost> {
    const read = () => http.send('GET', address());
    await runClosedLoop(read, { workers: CONNECTIONS, duration_ms: WARM_UP_ms });
    return toUnitCost(await meter.measure(() => runClosedLoop(read, { workers: CONNECTIONS, duration_ms })));
  }
  async function measureHop(work: (base: string) => Promise<unknown>, direct: string): Promise<HopFigures> {
    const rounds: HopFigures[] = [];
    for (let round = 0; round <= HOP_ROUNDS; round += 1) {
      const { p50_ms: direct_ms } = await runClosedLoop(() => work(direct), { workers: 1, duration_ms: HOP_ROUND_ms });
      const { p50_ms: throughGateway_ms } = await runClosedLoop(() => work(cluster.url), {
        workers: 1,
        duration_ms: HOP_ROUND_ms,
      });
      // The first round is a warm-up, so its figures are discarded.
      if (round > 0) rounds.push({ direct_ms, throughGateway_ms });
    }
    return {
      direct_ms: median(rounds.map(({ direct_ms }) => direct_ms)),
      throughGateway_ms: median(rounds.map(({ throughGateway_ms }) => throughGateway_ms)),
    };
  }

  try {
    await waitUntilSettled();
    let n = 0;
    // No projection or reactor handles this event type, so the append causes no other work.
    const append = () =>
      access.store.append(`bench-${(n += 1)}` as StreamId, [{ ...createSampleEvent(), type: 'SomethingMeasured' }], {
        expectedRevision: 'no-stream',
      });
    const duties = await holdDuties(cluster.databaseUrl, ALL_DUTIES);
    await runClosedLoop(append, { workers: WRITERS, duration_ms: WARM_UP_ms });
    const appended = await meter.measure(() => runClosedLoop(append, { workers: WRITERS, duration_ms }));
    await duties.release();
    await waitUntilSettled();

    const change = () => writers.write();
    await runClosedLoop(change, { workers: CONNECTIONS, duration_ms: WARM_UP_ms });
    await waitUntilSettled();
    // The measurement includes the work after a write, such as updates of read models. It therefore ends when the read
    // models are up to date.
    const written = await meter.measure(async () => {
      const measured = await runClosedLoop(change, { workers: CONNECTIONS, duration_ms });
      await waitUntilSettled();
      return measured;
    });
    const alone = await runClosedLoop(change, { workers: 1, duration_ms });
    await waitUntilSettled();

    const cachedList = await measureReads(() => `${queryApi}/api/ads`);
    // Each request has a different URL, so no response comes from a cache.
    const listRead = await measureReads(() => {
      n += 1;
      const query = { ...CITY, category: CATEGORIES[n % CATEGORIES.length] ?? '', n: String(n) };
      return `${queryApi}/api/ads?${new URLSearchParams(query).toString()}`;
    });
    const adPage = await measureReads(() => `${queryApi}/api/ads/${ads[(n += 1) % ads.length]?.adId ?? ''}`);
    const { email = '' } = writers.all[0] ?? {};
    const signIn = toUnitCost(
      await meter.measure(() =>
        runClosedLoop(
          () =>
            http.send('POST', `${urlOf('command-api')}/api/auth/login`, {
              body: JSON.stringify({ email, password: PASSWORD }),
            }),
          { workers: PARALLEL_SIGN_INS, duration_ms },
        ),
      ),
    );
    const sitePage = await measureReads(() => `${shell}/`);
    const gateway = await measureReads(() => `${cluster.url}/api/ads`);

    const hop = {
      read: await measureHop((base) => singleConnection.send('GET', `${base}/api/ads`), queryApi),
      write: await measureHop((base) => writers.write(base), urlOf('command-api')),
    };
    await waitUntilSettled();
    return {
      append: toUnitCost(appended),
      write: { ...toUnitCost(written), p50_ms: alone.p50_ms },
      cachedList,
      listRead,
      adPage,
      signIn,
      sitePage,
      gateway,
      hop,
      listSize_bytes: (await http.send('GET', `${queryApi}/api/ads`)).body.length,
      event_bytes: await measureDiskOfEvent(access),
    };
  } finally {
    http.close();
    singleConnection.close();
  }
}

/** Returns the disk space of one event in bytes, including indexes. */
async function measureDiskOfEvent({ pool }: StoreAccess): Promise<number> {
  const { rows } = await pool.query<{ event_bytes: number }>(
    `select pg_total_relation_size('es.events')::float8 / (select count(*) from es.events) as event_bytes`,
  );
  return rows[0]?.event_bytes ?? Number.NaN;
}
