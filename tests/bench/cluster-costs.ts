import { setTimeout as pause } from 'node:timers/promises';
import type { TestCluster } from '../support/cluster.ts';
import { keepBusy, type Measured } from './closed-loop.ts';
import { CITY, untilProjected, type StoreAccess, type StoredAd } from './cluster-ads.ts';
import { EVERY_DUTY, holdDuties } from './cluster-duties.ts';
import { msEach, type ByPart, type Meter, type Used } from './cluster-meter.ts';
import { PASSWORD } from '../support/api-client.ts';
import type { Writers } from './cluster-writers.ts';
import { sampleEvent } from './event-store.ts';
import { httpClient } from './http-client.ts';
import { median } from './statistics.ts';

export interface UnitCost {
  readonly count: number;
  readonly perSecond: number;
  /** Processor milliseconds a unit, by part. */
  readonly cpu_ms: ByPart;
}

export interface HopFigures {
  readonly direct_ms: number;
  readonly throughGateway_ms: number;
}

export interface CostFigures {
  /** Straight into the event store, 64 writers, while nothing reads it. Not in it: the Node process of the writers. */
  readonly append: UnitCost & { readonly p99_ms: number };
  /** One changed ad, at command-api: the event, the read models, the relay, and what each query-api process hears of it. */
  readonly write: UnitCost & { readonly p50_ms: number; readonly p99_ms: number };
  /** First page of a list that nothing has changed since it was last asked for. */
  readonly listKept: UnitCost;
  /** First page of a list by city and category, of a city with as many ads as were stored, that has to be read. */
  readonly listRead: UnitCost;
  readonly adPage: UnitCost;
  readonly signIn: UnitCost;
  /** The first page of the site, as HTML. */
  readonly sitePage: UnitCost;
  /** A kept list through the gateway. */
  readonly gateway: UnitCost;
  /** Medians of one connection. */
  readonly hop: { readonly read: HopFigures; readonly write: HopFigures };
  readonly listSize_bytes: number;
  readonly disk: { readonly event_bytes: number; readonly ad_bytes: number };
}

const WRITERS = 64;
const CONNECTIONS = 16;
const HOP_ROUNDS = 5;
const HOP_ROUND_ms = 1_000;
const WARM_UP_ms = 1_000;
const SETTLE_ms = 2_000;
/** None at all, too. */
const CATEGORIES = ['', 'escort', 'massage', 'companion', 'fetish'];
const SIGN_INS_AT_A_TIME = 2;

/** What one unit of each kind of work costs each part of the cluster. */
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
  const http = httpClient({ connections: CONNECTIONS });
  const one = httpClient({ connections: 1 });
  const settled = async () => {
    await untilProjected(access.pool, await access.store.head());
    await pause(SETTLE_ms);
  };
  const costOf = ({ result, cpu_s }: Used<Measured>): UnitCost => ({
    count: result.count,
    perSecond: result.perSecond,
    cpu_ms: msEach(cpu_s, result.count),
  });

  async function reads(address: () => string): Promise<UnitCost> {
    const read = () => http.send('GET', address());
    await keepBusy(read, { workers: CONNECTIONS, duration_ms: WARM_UP_ms });
    return costOf(await meter.during(() => keepBusy(read, { workers: CONNECTIONS, duration_ms })));
  }
  async function hopOf(work: (base: string) => Promise<unknown>, direct: string): Promise<HopFigures> {
    const rounds: HopFigures[] = [];
    for (let round = 0; round <= HOP_ROUNDS; round += 1) {
      const { p50_ms: direct_ms } = await keepBusy(() => work(direct), { workers: 1, duration_ms: HOP_ROUND_ms });
      const { p50_ms: throughGateway_ms } = await keepBusy(() => work(cluster.url), {
        workers: 1,
        duration_ms: HOP_ROUND_ms,
      });
      // The first round warms up.
      if (round > 0) rounds.push({ direct_ms, throughGateway_ms });
    }
    return {
      direct_ms: median(rounds.map(({ direct_ms }) => direct_ms)),
      throughGateway_ms: median(rounds.map(({ throughGateway_ms }) => throughGateway_ms)),
    };
  }

  try {
    await settled();
    let n = 0;
    // Of no type that anything here is made of.
    const append = () =>
      access.store.append(`bench-${(n += 1)}`, [{ ...sampleEvent(), type: 'SomethingMeasured' }], {
        expectedRevision: 'no-stream',
      });
    const duties = await holdDuties(cluster.databaseUrl, EVERY_DUTY);
    await keepBusy(append, { workers: WRITERS, duration_ms: WARM_UP_ms });
    const appended = await meter.during(() => keepBusy(append, { workers: WRITERS, duration_ms }));
    await duties.release();
    await settled();

    const change = () => writers.write();
    await keepBusy(change, { workers: CONNECTIONS, duration_ms: WARM_UP_ms });
    await settled();
    // What a write sets going is over when the read models have it.
    const written = await meter.during(async () => {
      const measured = await keepBusy(change, { workers: CONNECTIONS, duration_ms });
      await settled();
      return measured;
    });
    const alone = await keepBusy(change, { workers: 1, duration_ms });
    await settled();

    const listKept = await reads(() => `${queryApi}/api/ads`);
    // An address nobody has asked for yet is not kept.
    const listRead = await reads(() => {
      n += 1;
      return `${queryApi}/api/ads?${new URLSearchParams({ ...CITY, category: CATEGORIES[n % CATEGORIES.length] ?? '', n: String(n) }).toString()}`;
    });
    const adPage = await reads(() => `${queryApi}/api/ads/${ads[(n += 1) % ads.length]?.adId ?? ''}`);
    const { email = '' } = writers.all[0] ?? {};
    const signIn = costOf(
      await meter.during(() =>
        keepBusy(
          () =>
            http.send('POST', `${urlOf('command-api')}/api/auth/login`, {
              body: JSON.stringify({ email, password: PASSWORD }),
            }),
          { workers: SIGN_INS_AT_A_TIME, duration_ms },
        ),
      ),
    );
    const sitePage = await reads(() => `${shell}/`);
    const gateway = await reads(() => `${cluster.url}/api/ads`);

    const hop = {
      read: await hopOf((base) => one.send('GET', `${base}/api/ads`), queryApi),
      write: await hopOf((base) => writers.write(base), urlOf('command-api')),
    };
    await settled();
    return {
      append: { ...costOf(appended), p99_ms: appended.result.p99_ms },
      write: { ...costOf(written), p50_ms: alone.p50_ms, p99_ms: alone.p99_ms },
      listKept,
      listRead,
      adPage,
      signIn,
      sitePage,
      gateway,
      hop,
      listSize_bytes: (await http.send('GET', `${queryApi}/api/ads`)).body.length,
      disk: await diskOf(access),
    };
  } finally {
    http.close();
    one.close();
  }
}

/** Bytes on disk with their indexes: of an event, and of an ad in the read models. */
async function diskOf({ pool }: StoreAccess): Promise<CostFigures['disk']> {
  const { rows } = await pool.query<{ event_bytes: number; ad_bytes: number }>(
    `select pg_total_relation_size('es.events')::float8 / (select count(*) from es.events) as event_bytes,
      (select sum(pg_total_relation_size(c.oid))::float8 from pg_class c where c.relnamespace = 'rm'::regnamespace and c.relkind = 'r') / (select count(*) from rm.ad_cards) as ad_bytes`,
  );
  return rows[0] ?? { event_bytes: Number.NaN, ad_bytes: Number.NaN };
}
