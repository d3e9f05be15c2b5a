import { EventFromNewerBuild, type LivePublisher, type Position, type RelayedBatch } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { RELAY, runRelay } from '@alpenglow/projectors';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anEvent, uniqueName } from '../support/events.ts';
import { keepTrying } from '../support/keep-trying.ts';
import { adIdOf } from '../support/live-ads.ts';
import { aBump, adsNamed, bump } from '../support/live-events.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { eventually } from '../support/eventually.ts';

let events: PostgresEventStoreFixture;
beforeAll(async () => {
  events = await openPostgresEventStore();
});
afterAll(() => events.close());
beforeEach(async () => {
  await events.pool.query('delete from rm.checkpoints');
});

const log = createLogger('silent');
const PATIENTLY = { interval_ms: 10 };

/** Keeps what was published; `refuse` says of a batch why it may not be kept. */
function keeping(
  refuse: (batch: RelayedBatch) => Error | null = () => null,
): LivePublisher & { readonly kept: RelayedBatch[] } {
  const kept: RelayedBatch[] = [];
  return {
    kept,
    async publish(batch) {
      const fault = refuse(batch);
      if (fault) throw fault;
      kept.push(batch);
    },
    close: async () => undefined,
  };
}

const relay = (publisher: LivePublisher, options: { idle_ms?: number } = {}) =>
  keepTrying((signal) => runRelay({ store: events.store, pool: events.pool, publisher, log, ...options }, signal));
const checkpoint = async () =>
  (await events.pool.query<{ position: Position }>('select position from rm.checkpoints where name = $1', [RELAY]))
    .rows[0]?.position;
const adsOf = (batches: readonly RelayedBatch[]) =>
  batches.flatMap(({ messages }) => messages.map(({ message }) => adIdOf(message)));

test('begins at the head, says where that is, and hands over what follows, stream by stream', async () => {
  await bump(events.store, [uniqueName('before')]);
  const head = await events.store.head();
  const publisher = keeping();
  const running = relay(publisher);
  await eventually(() => expect(publisher.kept).toEqual([{ after: head, messages: [], through: head }]), PATIENTLY);
  const ads = adsNamed(uniqueName('ad'), 30);
  const last = await bump(events.store, ads);
  await eventually(async () => expect(await checkpoint()).toBe(last), PATIENTLY);
  expect(adsOf(publisher.kept)).toEqual(ads);
  expect(publisher.kept.flatMap(({ messages }) => messages.map(({ stream }) => stream))).toEqual(
    ads.map((ad) => `listing-${ad}`),
  );
  for (const [index, { after }] of publisher.kept.entries())
    expect(after).toBe(publisher.kept[index - 1]?.through ?? head);
  await running.stop();
});

test('repeats a batch that may not have been kept, and goes on where the last one left off', async () => {
  let refusals = 3;
  const publisher = keeping((batch) => (batch.messages.length > 0 && refusals-- > 0 ? new Error('away') : null));
  const running = relay(publisher);
  await eventually(() => expect(publisher.kept).not.toEqual([]), PATIENTLY);
  const ads = adsNamed(uniqueName('ad'), 5);
  const last = await bump(events.store, ads);
  await eventually(async () => expect(await checkpoint()).toBe(last), PATIENTLY);
  expect(adsOf(publisher.kept)).toEqual(ads);
  expect(running.failures.map(({ message }) => message)).toEqual(['away', 'away', 'away']);
  await running.stop();

  const next = keeping();
  const again = relay(next);
  await eventually(() => expect(next.kept).toEqual([{ after: last, messages: [], through: last }]), PATIENTLY);
  await again.stop();
});

test('says how far it is when nothing happens', async () => {
  const publisher = keeping();
  const running = relay(publisher, { idle_ms: 20 });
  const position = await bump(events.store, [uniqueName('ad')]);
  await eventually(
    () =>
      expect(
        publisher.kept.filter(({ after, through }) => after === position && through === position).length,
      ).toBeGreaterThan(2),
    PATIENTLY,
  );
  await running.stop();
});

test('passes over an event that cannot be read, and stops at one of a newer build', async () => {
  const publisher = keeping();
  const running = relay(publisher);
  await eventually(() => expect(publisher.kept).not.toEqual([]), PATIENTLY);
  const ad = uniqueName('ad');
  await events.store.append(uniqueName('listing'), [anEvent({ type: 'AdBumped', data: { broken: true } }), aBump(ad)], {
    expectedRevision: 'any',
  });
  const last = await events.store.head();
  await eventually(async () => expect(await checkpoint()).toBe(last), PATIENTLY);
  expect(adsOf(publisher.kept)).toEqual([ad]);
  await events.store.append(uniqueName('listing'), [anEvent({ type: 'AdBumped', version: 99, data: {} })], {
    expectedRevision: 'any',
  });
  await eventually(() => expect(running.failures[0]).toBeInstanceOf(EventFromNewerBuild), PATIENTLY);
  expect(await checkpoint()).toBe(last);
  await running.stop();
});

test('ends at once when it is no longer the leader, whatever the publisher waits for', async () => {
  const asked: RelayedBatch[] = [];
  const hanging: LivePublisher = {
    publish: (batch) => {
      asked.push(batch);
      return new Promise(() => undefined);
    },
    close: async () => undefined,
  };
  const running = relay(hanging);
  await eventually(() => expect(asked).toHaveLength(1), PATIENTLY);
  // The publisher never answers: a relay that waited for it would never stop.
  await running.stop();
});

test('two at once do not move each other on', async () => {
  const publisher = keeping();
  const both = [relay(publisher), relay(publisher)];
  await eventually(() => expect(publisher.kept.length).toBeGreaterThan(1), PATIENTLY);
  const ads = adsNamed(uniqueName('ad'), 20);
  const last = await bump(events.store, ads);
  await eventually(async () => expect(await checkpoint()).toBe(last), PATIENTLY);
  // Repeats are allowed, gaps are not: each batch says between which positions there is nothing else.
  let told = '' as Position;
  const once: string[] = [];
  for (const { message } of publisher.kept.flatMap(({ messages }) => messages)) {
    if (message.seq <= told) continue;
    told = message.seq as Position;
    once.push(adIdOf(message));
  }
  expect(once).toEqual(ads);
  for (const running of both) await running.stop();
});
