import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { TestCluster } from '../tests/support/cluster.ts';
import { changeAds, waitUntilProjected, type StoreAccess, type StoredAd } from './cluster-ads.ts';
import { holdDuties, LIVE_RELAY_DUTY } from './cluster-duties.ts';
import { msPerUnit, type ByPart, type Meter } from './cluster-meter.ts';

/** Figures of the live relay, which publishes events for WebSocket clients, when all read models are up to date. */
export interface RelayFigures {
  /** Messages per second between the first and the last message, measured at the client. */
  readonly perSecond: number;
  /** Processor milliseconds per event for each part of the cluster. */
  readonly cpu_ms: ByPart;
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
  const client = await connectCountingClient(`${queryApi?.url.replace('http', 'ws') ?? ''}/api/live`);
  const duty = await holdDuties(cluster.databaseUrl, [LIVE_RELAY_DUTY]);
  await changeAds(access.store, ads, changesEach);
  await waitUntilProjected(access.pool, await access.store.readHead());
  await pause(SETTLE_ms);
  const { result, cpu_s } = await meter.measure(async () => {
    await duty.release();
    return client.all(events);
  });
  client.close();
  await pause(SETTLE_ms);
  return {
    perSecond: (events - 1) / ((result.last_ms - result.first_ms) / 1_000),
    cpu_ms: msPerUnit(cpu_s, events),
  };
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
