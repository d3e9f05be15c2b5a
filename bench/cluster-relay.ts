import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { TestCluster } from '../tests/support/cluster.ts';
import { changeAds, waitUntilProjected, type StoreAccess, type StoredAd } from './cluster-ads.ts';
import { ALL_DUTIES, holdDuties, LIVE_RELAY_DUTY } from './cluster-duties.ts';
import { msPerUnit, type ByPart, type Meter } from './cluster-meter.ts';

interface RelayRun {
  readonly events: number;
  /** Messages per second between the first and the last message, measured at the client. */
  readonly perSecond: number;
  /** Processor milliseconds per event for each part of the cluster. */
  readonly cpu_ms: ByPart;
}

export interface RelayFigures {
  /**
   * Figures of the live relay alone, which publishes events for WebSocket clients. All read models are up to date
   * before the relay starts.
   */
  readonly alone: RelayRun;
  /**
   * Figures when the relay, projections and reactors start together. The relay then waits for the read models, because
   * it sends a message only when the list of ads contains the change.
   */
  readonly together: RelayRun;
}

const ARRIVAL_LIMIT_ms = 180_000;
const SETTLE_ms = 2_000;

/**
 * Measures how fast stored events reach one WebSocket client. The events pass through the relay, Kafka and query-api.
 */
export async function benchRelay({
  cluster,
  access,
  ads,
  meter,
  changesEach,
}: {
  cluster: TestCluster;
  access: StoreAccess;
  ads: readonly StoredAd[];
  meter: Meter;
  changesEach: number;
}): Promise<RelayFigures> {
  const queryApi = cluster.members.find(({ service }) => service === 'query-api');
  const events = ads.length * changesEach;

  async function run(held: readonly string[], beforeRelease: () => Promise<void>): Promise<RelayRun> {
    const client = await connectCountingClient(`${queryApi?.url.replace('http', 'ws') ?? ''}/api/live`);
    const duties = await holdDuties(cluster.databaseUrl, held);
    await changeAds(access.store, ads, changesEach);
    await beforeRelease();
    const { result, cpu_s } = await meter.measure(async () => {
      await duties.release();
      return client.all(events);
    });
    client.close();
    await waitUntilProjected(access.pool, await access.store.readHead());
    await pause(SETTLE_ms);
    return {
      events,
      perSecond: (events - 1) / ((result.last_ms - result.first_ms) / 1_000),
      cpu_ms: msPerUnit(cpu_s, events),
    };
  }

  const alone = await run([LIVE_RELAY_DUTY], async () => {
    await waitUntilProjected(access.pool, await access.store.readHead());
    await pause(SETTLE_ms);
  });
  const together = await run(ALL_DUTIES, async () => undefined);
  return { alone, together };
}

/** Connects a client that counts messages. The client fails if a message is out of order or the connection closes. */
async function connectCountingClient(url: string) {
  const socket = new WebSocket(url);
  let count = 0;
  let first_ms = 0;
  let expected = Infinity;
  let finish: (times: { first_ms: number; last_ms: number }) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<{ first_ms: number; last_ms: number }>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  done.catch(() => undefined);
  socket.on('message', () => {
    if (count === 0) first_ms = performance.now();
    count += 1;
    if (count === expected) finish({ first_ms, last_ms: performance.now() });
  });
  socket.on('close', (code) => fail(new Error(`The client was disconnected with ${code} after ${count} messages`)));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    all(messages: number) {
      expected = messages;
      if (count === expected) finish({ first_ms, last_ms: performance.now() });
      const timer = setTimeout(
        () => fail(new Error(`Only ${count} of ${messages} messages arrived within ${ARRIVAL_LIMIT_ms} ms`)),
        ARRIVAL_LIMIT_ms,
      );
      return done.finally(() => clearTimeout(timer));
    },
    close: () => socket.terminate(),
  };
}
