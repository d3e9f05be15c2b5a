import {
  account,
  EventStoreUnavailable,
  registerAccount,
  START,
  type EventStore,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createCommandHandler, createDataKeys, createMemoryEventStore, withPersonalData } from '@alpenglow/infra';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { copyEvents, verifyCopy } from '../../infra/tools/copy/copy-events.ts';
import { readEvents } from '../../infra/tools/copy/read-events.ts';
import { main } from '../../infra/tools/migrate-store.ts';
import { fill, openedStores, rowsOf } from '../support/copied-stores.ts';
import { anEvent, someEvents, uniqueName } from '../support/events.ts';
import { buildTools, type Tools } from '../support/tools.ts';

/** Copying events from store to store, and the command for it. What is killed or switched over on the way is in `migrate-store.long.test.ts`. */

let tools: Tools;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools.remove());

const stores = openedStores();
afterEach(() => stores.closeAll());
const openStore = () => stores.open();

async function allOf(store: EventStore): Promise<readonly Omit<RecordedEvent, 'position'>[]> {
  const events = [];
  for await (const { position: _, ...event } of readEvents(store, { until: await store.head() })) events.push(event);
  return events;
}
const sourceOf = async (store: EventStore) => readEvents(store, { until: await store.head() });

describe('copying events', () => {
  test('keeps each with its id, revision, order, version, data and time, in large appends too', async () => {
    const source = createMemoryEventStore();
    await fill(source, 40, 1);
    // Neighbours of one stream: more than one append may hold, by number and by size.
    const stream = uniqueName('long');
    for (let n = 0; n < 3; n += 1) await source.append(stream, someEvents(400), { expectedRevision: 'any' });
    for (let n = 0; n < 5; n += 1)
      await source.append(
        stream,
        [anEvent({ version: 3, data: { words: 'ü'.repeat(200_000), a: { z: 1, b: [null, -0.5, 1e300] } } })],
        { expectedRevision: 'any' },
      );
    const target = createMemoryEventStore();
    const copied = await copyEvents(await sourceOf(source), target);
    await verifyCopy(target, copied);
    expect(copied).toMatchObject({ count: 1245, found: 0 });
    expect(await allOf(target)).toEqual(await allOf(source));
  });

  test('of nothing is nothing', async () => {
    const copied = await copyEvents(await sourceOf(createMemoryEventStore()), createMemoryEventStore());
    expect(copied).toEqual({
      count: 0,
      found: 0,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    });
  });

  test('goes on where one that was broken off ended, and adds what came since', async () => {
    const source = createMemoryEventStore();
    await fill(source, 500);
    const target = createMemoryEventStore();
    const abort = new AbortController();
    const brokenOff = copyEvents(await sourceOf(source), target, {
      signal: abort.signal,
      onProgress: ({ done }) => done >= 200 && abort.abort(),
    });
    await expect(brokenOff).rejects.toThrow('abort');
    const before = await allOf(target);
    expect(before.length).toBeGreaterThanOrEqual(200);
    expect(before.length).toBeLessThan(500);

    await fill(source, 30);
    const copied = await copyEvents(await sourceOf(source), target);
    await verifyCopy(target, copied);
    expect(copied).toMatchObject({ count: 530, found: before.length });
    expect(await allOf(target)).toEqual(await allOf(source));
  });

  test('goes on through short outages of either store, and writes nothing twice', async () => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 50);
    let calls = 0;
    const away = () => {
      if ((calls += 1) % 5 === 2) throw new EventStoreUnavailable('away');
    };
    const copied = await copyEvents(
      readEvents(
        { ...source, readAll: async (options) => (away(), source.readAll(options)) },
        { until: await source.head() },
      ),
      {
        ...target,
        // The answer is lost, the events are not.
        append: async (...append) => {
          const result = await target.append(...append);
          away();
          return result;
        },
      },
    );
    await verifyCopy(target, copied);
    expect(await allOf(target)).toEqual(await allOf(source));
  });

  test.each([
    [
      'an event the source has not',
      async (target: EventStore) =>
        void (await target.append('elsewhere', someEvents(1), { expectedRevision: 'no-stream' })),
      'The target is no copy of the source: event 1 is SomethingHappened',
    ],
    [
      'the first event with other contents',
      async (target: EventStore, [first]: readonly RecordedEvent[]) =>
        void (
          first &&
          (await target.append(first.stream, [{ ...first, data: { changed: true } }], {
            expectedRevision: 'no-stream',
          }))
        ),
      'with other contents',
    ],
    [
      'the second event first',
      async (target: EventStore, [, second]: readonly RecordedEvent[]) =>
        void (second && (await target.append(second.stream, [second], { expectedRevision: 'no-stream' }))),
      'where the source has',
    ],
    [
      'more than the source',
      async (target: EventStore, events: readonly RecordedEvent[]) => {
        for (const event of events) await target.append(event.stream, [event], { expectedRevision: 'any' });
        await target.append('later', someEvents(1), { expectedRevision: 'no-stream' });
      },
      'The target holds more than the source: event 11 is SomethingHappened',
    ],
  ])('refuses a target that holds %s, and leaves it alone', async (_what, prepare, message) => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 10);
    await prepare(target, await source.readAll({ after: START }));
    const before = await allOf(target);
    await expect(copyEvents(await sourceOf(source), target)).rejects.toThrow(message);
    expect(await allOf(target)).toEqual(before);
  });

  test('stops when somebody else writes into the target', async () => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 20);
    const taken = (await source.readAll({ after: START })).at(-1)?.stream ?? '';
    let isFirst = true;
    const meddled = {
      ...target,
      append: async (...append: Parameters<EventStore['append']>) => {
        if (isFirst) await target.append(taken, someEvents(1), { expectedRevision: 'any' });
        isFirst = false;
        return target.append(...append);
      },
    };
    await expect(copyEvents(await sourceOf(source), meddled)).rejects.toThrow('Somebody else writes into the target');
  });

  test.each([
    ['an event less', (events: readonly RecordedEvent[]) => events.slice(0, -1)],
    [
      'two events the other way round',
      ([first, second, ...rest]: readonly RecordedEvent[]) =>
        [second, first, ...rest].filter((event) => event !== undefined),
    ],
    [
      'another time',
      ([first, ...rest]: readonly RecordedEvent[]) =>
        first ? [{ ...first, meta: { ...first.meta, at: '2026-01-01T00:00:00.000Z' } }, ...rest] : rest,
    ],
    [
      'another revision',
      ([first, ...rest]: readonly RecordedEvent[]) =>
        first ? [{ ...first, revision: first.revision + 1 }, ...rest] : rest,
    ],
  ])('is found out when the copy has %s', async (_what, change) => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 10);
    const copied = await copyEvents(await sourceOf(source), target);
    const events = change(await target.readAll({ after: START }));
    const changed = {
      ...target,
      head: () => Promise.resolve(events.at(-1)?.position ?? START),
      readAll: ({ after }: Parameters<EventStore['readAll']>[0]) => Promise.resolve(after === START ? [...events] : []),
    };
    await expect(verifyCopy(changed, copied)).rejects.toThrow('The copy is not the same');
  });
});

describe('reading a history', () => {
  test.each([
    ['at once', 0],
    ['after a page', 1_000],
  ])('fails when the store ends %s, before the event it is read up to', async (_what, given) => {
    const source = createMemoryEventStore();
    await fill(source, 1_100);
    const until = await source.head();
    const cutOff = {
      ...source,
      readAll: async (options: Parameters<EventStore['readAll']>[0]) =>
        (await source.readAll(options)).filter(({ position }) => Number(position) <= given),
    };
    let told = 0;
    const reading = async () => {
      for await (const _event of readEvents(cutOff, { until })) told += 1;
    };
    await expect(reading()).rejects.toThrow(`The store has an event at ${until}, but gave none after`);
    expect(told).toBe(given);
    // What was told is no whole copy either.
    await expect(copyEvents(readEvents(cutOff, { until }), createMemoryEventStore())).rejects.toThrow(
      'but gave none after',
    );
  });
});

describe('npm run migrate:store', () => {
  test('copies what is stored as it is stored: personal data stays sealed', async () => {
    const [source, target] = [await openStore(), await openStore()];
    const sealing = withPersonalData(source.store, createDataKeys(source.pool, 'ab'.repeat(32)));
    const person = {
      accountId: 'a'.repeat(32),
      email: 'somebody@example.com',
      userType: 'client',
      displayName: 'Somebody',
      age: 30,
      passwordHash: null,
      isDemo: false,
    } as const;
    await createCommandHandler(sealing).handle(
      account,
      person.accountId,
      (state, context) => registerAccount(person, state, context),
      { actor: { kind: 'system', name: 'test' }, correlationId: 'c' },
    );
    await fill(source.store, 300, 2);

    const { code, stdout, stderr } = await tools.run(
      'migrate-store',
      ['--from', source.connectionString, '--to', target.connectionString],
      {},
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^Verified: 60[12] events, sha256 [\da-f]{64}$/mu);
    const rows = await rowsOf(target);
    expect(rows).toEqual(await rowsOf(source));
    expect(rows.join()).toContain('$sealed');
    expect(rows.join()).not.toContain('somebody@example.com');
  });

  test.each([
    ['nothing', []],
    ['no target', ['--from', 'postgres']],
    ['no store', ['--from', 'postgres', '--to', 'mysql://localhost/x']],
    ['an unknown option', ['--from', 'postgres', '--to', 'esdb://localhost:2113', '--force']],
    ['a word too much', ['--from', 'postgres', '--to', 'esdb://localhost:2113', 'now']],
  ])('answers %s with its usage and exit code 2', async (_what, args) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await main(args, { env: {}, rootDir: '/nowhere', ownsDataDir: false })).toBe(2);
    expect(said.mock.calls.flat().join()).toContain('Usage: npm run migrate:store');
  });
});
