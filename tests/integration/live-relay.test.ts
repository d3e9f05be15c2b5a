import { NewerEventVersionError, type LivePublisher, type Position, type RelayBatch } from '@alpenglow/domain';
import { createLogger } from '@alpenglow/infra';
import { LIVE_RELAY_DUTY, runLiveRelay } from '@alpenglow/projectors';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { anEvent, uniqueName } from '../support/events.ts';
import { runWithRetries } from '../support/run-with-retries.ts';
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
const FAST_POLLING = { interval_ms: 10 };

/**
 * Creates a publisher that stores batches. If `errorOf` returns an error for a batch, the publisher fails and does not
 * store the batch.
 */
function createPublisher(
  errorOf: (batch: RelayBatch) => Error | null = () => null,
): LivePublisher & { readonly published: RelayBatch[] } {
  const published: RelayBatch[] = [];
  return {
    published,
    async publish(batch) {
      const error = errorOf(batch);
      if (error) throw error;
      published.push(batch);
    },
    close: async () => undefined,
  };
}

const startRelay = (publisher: LivePublisher, options: { idle_ms?: number } = {}) =>
  runWithRetries((signal) =>
    runLiveRelay({ store: events.store, pool: events.pool, publisher, log, ...options }, signal),
  );
const readCheckpoint = async () =>
  (
    await events.pool.query<{ position: Position }>('select position from rm.checkpoints where name = $1', [
      LIVE_RELAY_DUTY,
    ])
  ).rows[0]?.position;
const adsOf = (batches: readonly RelayBatch[]) =>
  batches.flatMap(({ messages }) => messages.map(({ message }) => adIdOf(message)));

test('starts at the head, publishes its position, and then the events of each stream in order', async () => {
  await bump(events.store, [uniqueName('before')]);
  const head = await events.store.readHead();
  const publisher = createPublisher();
  const running = startRelay(publisher);
  await eventually(
    () => expect(publisher.published).toMatchObject([{ after: head, messages: [], through: head }]),
    FAST_POLLING,
  );
  const ads = adsNamed(uniqueName('ad'), 30);
  const last = await bump(events.store, ads);
  await eventually(async () => expect(await readCheckpoint()).toBe(last), FAST_POLLING);
  expect(adsOf(publisher.published)).toEqual(ads);
  expect(publisher.published.flatMap(({ messages }) => messages.map(({ stream }) => stream))).toEqual(
    ads.map((ad) => `listing-${ad}`),
  );
  for (const [index, { after }] of publisher.published.entries())
    expect(after).toBe(publisher.published[index - 1]?.through ?? head);
  await running.stop();
});

test('repeats a batch whose publication failed, and a restarted relay continues after the last batch', async () => {
  let remainingErrors = 3;
  const publisher = createPublisher((batch) =>
    batch.messages.length > 0 && remainingErrors-- > 0 ? new Error('away') : null,
  );
  const running = startRelay(publisher);
  await eventually(() => expect(publisher.published).not.toEqual([]), FAST_POLLING);
  const ads = adsNamed(uniqueName('ad'), 5);
  const last = await bump(events.store, ads);
  await eventually(async () => expect(await readCheckpoint()).toBe(last), FAST_POLLING);
  expect(adsOf(publisher.published)).toEqual(ads);
  expect(running.failures.map(({ message }) => message)).toEqual(['away', 'away', 'away']);
  await running.stop();

  const next = createPublisher();
  const again = startRelay(next);
  await eventually(
    () => expect(next.published).toMatchObject([{ after: last, messages: [], through: last }]),
    FAST_POLLING,
  );
  await again.stop();
});

test('publishes its position while there are no events', async () => {
  const publisher = createPublisher();
  const running = startRelay(publisher, { idle_ms: 20 });
  const position = await bump(events.store, [uniqueName('ad')]);
  await eventually(
    () =>
      expect(
        publisher.published.filter(({ after, through }) => after === position && through === position).length,
      ).toBeGreaterThan(2),
    FAST_POLLING,
  );
  await running.stop();
});

test('skips an event that cannot be read, and stops at an event of a newer build', async () => {
  const publisher = createPublisher();
  const running = startRelay(publisher);
  await eventually(() => expect(publisher.published).not.toEqual([]), FAST_POLLING);
  const ad = uniqueName('ad');
  await events.store.append(uniqueName('listing'), [anEvent({ type: 'AdBumped', data: { broken: true } }), aBump(ad)], {
    expectedRevision: 'any',
  });
  const last = await events.store.readHead();
  await eventually(async () => expect(await readCheckpoint()).toBe(last), FAST_POLLING);
  expect(adsOf(publisher.published)).toEqual([ad]);
  await events.store.append(uniqueName('listing'), [anEvent({ type: 'AdBumped', version: 99, data: {} })], {
    expectedRevision: 'any',
  });
  await eventually(() => expect(running.failures[0]).toBeInstanceOf(NewerEventVersionError), FAST_POLLING);
  expect(await readCheckpoint()).toBe(last);
  await running.stop();
});

test('stops at once when another process becomes the leader, even if the publisher does not respond', async () => {
  const batches: RelayBatch[] = [];
  const hanging: LivePublisher = {
    publish: (batch) => {
      batches.push(batch);
      return new Promise(() => undefined);
    },
    close: async () => undefined,
  };
  const running = startRelay(hanging);
  await eventually(() => expect(batches).toHaveLength(1), FAST_POLLING);
  // The publisher never completes a publication, so the relay must stop without waiting for the publisher.
  await running.stop();
});

test('names of runs increase although the clock of the database goes back, e.g. after a promotion', async () => {
  const publisher = createPublisher();
  const names: string[] = [];
  for (let run = 0; run < 3; run += 1) {
    const running = startRelay(publisher);
    const last = await bump(events.store, [uniqueName('ad')]);
    await eventually(async () => expect(await readCheckpoint()).toBe(last), FAST_POLLING);
    await running.stop();
    names.push(publisher.published.at(-1)?.run ?? '');
    // The checkpoint was written by a server whose clock was an hour ahead.
    if (run === 0)
      await events.pool.query(`update rm.checkpoints set updated_at = updated_at + interval '1 hour' where name = $1`, [
        LIVE_RELAY_DUTY,
      ]);
  }
  const { rows } = await events.pool.query<{ is_ahead: boolean }>(
    `select $1::timestamptz > now() + interval '50 minutes' as is_ahead`,
    [names[1]?.split(' ')[0]],
  );
  expect(rows).toEqual([{ is_ahead: true }]);
  expect(names).toEqual([...new Set(names)].toSorted());
});

test('two parallel relays lose no event', async () => {
  const publisher = createPublisher();
  const both = [startRelay(publisher), startRelay(publisher)];
  await eventually(() => expect(publisher.published.length).toBeGreaterThan(1), FAST_POLLING);
  const ads = adsNamed(uniqueName('ad'), 20);
  const last = await bump(events.store, ads);
  await eventually(async () => expect(await readCheckpoint()).toBe(last), FAST_POLLING);
  // Both relays may publish the same message, so the test skips repeated messages. No message may be missing.
  let lastSeq = '' as Position;
  const ids: string[] = [];
  for (const { message } of publisher.published.flatMap(({ messages }) => messages)) {
    if (message.seq <= lastSeq) continue;
    lastSeq = message.seq as Position;
    ids.push(adIdOf(message));
  }
  expect(ids).toEqual(ads);
  for (const running of both) await running.stop();
});
