import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { TestCluster } from '../support/cluster.ts';
import { changeAds, untilProjected, type StoreAccess, type StoredAd } from './cluster-ads.ts';
import { EVERY_DUTY, holdDuties, RELAY } from './cluster-duties.ts';
import { msEach, type ByPart, type Meter } from './cluster-meter.ts';

export interface RelayRun {
  readonly events: number;
  /** From the first message to the last, at the client. */
  readonly perSecond: number;
  /** Processor milliseconds an event, by part. */
  readonly cpu_ms: ByPart;
}

export interface RelayFigures {
  /** The lists show every event before the relay begins. */
  readonly alone: RelayRun;
  /** Relay, projections and reactors begin together, and a message is told once the list shows it. */
  readonly together: RelayRun;
}

const ARRIVAL_LIMIT_ms = 180_000;
const SETTLE_ms = 2_000;

/** Events that wait in the store, through relay, Kafka and query-api to one WebSocket client. */
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
    const client = await countMessages(`${queryApi?.url.replace('http', 'ws') ?? ''}/api/live`);
    const duties = await holdDuties(cluster.databaseUrl, held);
    await changeAds(access.store, ads, changesEach);
    await beforeRelease();
    const { result, cpu_s } = await meter.during(async () => {
      await duties.release();
      return client.all(events);
    });
    client.close();
    await untilProjected(access.pool, await access.store.head());
    await pause(SETTLE_ms);
    return {
      events,
      perSecond: (events - 1) / ((result.last_ms - result.first_ms) / 1_000),
      cpu_ms: msEach(cpu_s, events),
    };
  }

  const alone = await run([RELAY], async () => {
    await untilProjected(access.pool, await access.store.head());
    await pause(SETTLE_ms);
  });
  const together = await run(EVERY_DUTY, async () => undefined);
  return { alone, together };
}

/** A client that counts what it is told, in order, and must not be cut off. */
async function countMessages(url: string) {
  const socket = new WebSocket(url);
  let count = 0;
  let first_ms = 0;
  let last = '';
  let wanted = Infinity;
  let finish: (times: { first_ms: number; last_ms: number }) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const done = new Promise<{ first_ms: number; last_ms: number }>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  done.catch(() => undefined);
  socket.on('message', (data: Buffer) => {
    if (count === 0) first_ms = performance.now();
    const { seq } = JSON.parse(data.toString('utf8')) as { seq: string };
    if (seq <= last) fail(new Error(`Told ${seq} after ${last}`));
    last = seq;
    count += 1;
    if (count === wanted) finish({ first_ms, last_ms: performance.now() });
  });
  socket.on('close', (code) => fail(new Error(`The client was cut off with ${code} after ${count} messages`)));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return {
    all(messages: number) {
      wanted = messages;
      if (count === wanted) finish({ first_ms, last_ms: performance.now() });
      const timer = setTimeout(
        () => fail(new Error(`${count} of ${messages} messages in ${ARRIVAL_LIMIT_ms} ms`)),
        ARRIVAL_LIMIT_ms,
      );
      return done.finally(() => clearTimeout(timer));
    },
    close: () => socket.terminate(),
  };
}
