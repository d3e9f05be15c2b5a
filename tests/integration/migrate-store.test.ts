import {
  account,
  EventStoreUnavailable,
  START_POSITION,
  type EventStore,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import { createCommandHandler, createDataKeys, withPersonalData } from '@alpenglow/infra';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { copyEvents, verifyCopy } from '../../launcher/tools/copy/copy-events.ts';
import { readEvents } from '../../launcher/tools/copy/read-events.ts';
import { main } from '../../launcher/tools/migrate-store.ts';
import { appendEvents, createEventStoreFactory, eventRowsOf } from '../support/event-store-factory.ts';
import { startEventStoreServer } from '../support/event-store-server/server.ts';
import { anEvent, someEvents, uniqueName } from '../support/events.ts';
import { buildTools, type Tools } from '../support/tools.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

/**
 * Tests the command that copies events from one store to another. `migrate-store.long.test.ts` tests
 * interruptions and switches.
 */

let tools: Tools;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools.remove());

const stores = createEventStoreFactory();
afterEach(() => stores.closeAll());
const openStore = () => stores.open();

async function readAllEvents(store: EventStore): Promise<readonly Omit<RecordedEvent, 'position'>[]> {
  const events = [];
  for await (const { position: _, ...event } of readEvents(store, { until: await store.readHead() }))
    events.push(event);
  return events;
}
const sourceOf = async (store: EventStore) => readEvents(store, { until: await store.readHead() });

describe('a copy of events', () => {
  test('preserves id, revision, order, version, data and time of each event, also in large appends', async () => {
    const source = createMemoryEventStore();
    await appendEvents(source, 40, 1);
    // These consecutive events of one stream exceed the maximum number and the maximum size of an append.
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
    expect(await readAllEvents(target)).toEqual(await readAllEvents(source));
  });

  test('of an empty store is empty', async () => {
    const copied = await copyEvents(await sourceOf(createMemoryEventStore()), createMemoryEventStore());
    expect(copied).toEqual({
      count: 0,
      found: 0,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    });
  });

  test('resumes after an interruption, and adds new events', async () => {
    const source = createMemoryEventStore();
    await appendEvents(source, 500);
    const target = createMemoryEventStore();
    const abort = new AbortController();
    const interrupted = copyEvents(await sourceOf(source), target, {
      signal: abort.signal,
      onProgress: ({ done }) => done >= 200 && abort.abort(),
    });
    await expect(interrupted).rejects.toThrow('abort');
    const before = await readAllEvents(target);
    expect(before.length).toBeGreaterThanOrEqual(200);
    expect(before.length).toBeLessThan(500);

    await appendEvents(source, 30);
    const copied = await copyEvents(await sourceOf(source), target);
    await verifyCopy(target, copied);
    expect(copied).toMatchObject({ count: 530, found: before.length });
    expect(await readAllEvents(target)).toEqual(await readAllEvents(source));
  });

  test('continues through short outages of both stores, and writes no event twice', async () => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await appendEvents(source, 50);
    let calls = 0;
    const failSometimes = () => {
      if ((calls += 1) % 5 === 2) throw new EventStoreUnavailable('away');
    };
    const copied = await copyEvents(
      readEvents(
        { ...source, readAll: async (options) => (failSometimes(), source.readAll(options)) },
        { until: await source.readHead() },
      ),
      {
        ...target,
        // The response is lost, but the events are stored.
        append: async (...append) => {
          const result = await target.append(...append);
          failSometimes();
          return result;
        },
      },
    );
    await verifyCopy(target, copied);
    expect(await readAllEvents(target)).toEqual(await readAllEvents(source));
  });

  test.each([
    [
      'an event that is not in the source',
      async (target: EventStore) =>
        void (await target.append('elsewhere' as StreamId, someEvents(1), { expectedRevision: 'no-stream' })),
      'The target is no copy of the source: event 1 is SomethingHappened',
    ],
    [
      'the first event with different content',
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
      'the second event as its first',
      async (target: EventStore, [, second]: readonly RecordedEvent[]) =>
        void (second && (await target.append(second.stream, [second], { expectedRevision: 'no-stream' }))),
      'where the source has',
    ],
    [
      'more events than the source',
      async (target: EventStore, events: readonly RecordedEvent[]) => {
        for (const event of events) await target.append(event.stream, [event], { expectedRevision: 'any' });
        await target.append('later' as StreamId, someEvents(1), { expectedRevision: 'no-stream' });
      },
      'The target has more events than the source: event 11 is SomethingHappened',
    ],
  ])('rejects a target that contains %s, and does not change it', async (_what, prepare, message) => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await appendEvents(source, 10);
    await prepare(target, await source.readAll({ after: START_POSITION }));
    const before = await readAllEvents(target);
    await expect(copyEvents(await sourceOf(source), target)).rejects.toThrow(message);
    expect(await readAllEvents(target)).toEqual(before);
  });

  test('stops if another process writes into the target', async () => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await appendEvents(source, 20);
    const existingStream = (await source.readAll({ after: START_POSITION })).at(-1)?.stream ?? uniqueName('missing');
    let isFirst = true;
    const changedTarget = {
      ...target,
      append: async (...append: Parameters<EventStore['append']>) => {
        if (isFirst) await target.append(existingStream, someEvents(1), { expectedRevision: 'any' });
        isFirst = false;
        return target.append(...append);
      },
    };
    await expect(copyEvents(await sourceOf(source), changedTarget)).rejects.toThrow(
      'Another process writes to the target',
    );
  });

  test.each([
    ['one event fewer', (events: readonly RecordedEvent[]) => events.slice(0, -1)],
    [
      'two events in reverse order',
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
  ])('is detected as wrong if it has %s', async (_what, change) => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await appendEvents(source, 10);
    const copied = await copyEvents(await sourceOf(source), target);
    const events = change(await target.readAll({ after: START_POSITION }));
    const changed = {
      ...target,
      readHead: () => Promise.resolve(events.at(-1)?.position ?? START_POSITION),
      readAll: ({ after }: Parameters<EventStore['readAll']>[0]) =>
        Promise.resolve(after === START_POSITION ? [...events] : []),
    };
    await expect(verifyCopy(changed, copied)).rejects.toThrow('The copy is not the same');
  });
});

describe('reading a history', () => {
  test.each([
    ['at once', 0],
    ['after a page', 1_000],
  ])('fails if the store ends %s, before the last requested event', async (_what, readable) => {
    const source = createMemoryEventStore();
    await appendEvents(source, 1_100);
    const until = await source.readHead();
    const cutOff = {
      ...source,
      readAll: async (options: Parameters<EventStore['readAll']>[0]) =>
        (await source.readAll(options)).filter(({ position }) => Number(position) <= readable),
    };
    let returned = 0;
    const reading = async () => {
      for await (const _event of readEvents(cutOff, { until })) returned += 1;
    };
    await expect(reading()).rejects.toThrow(`The store has an event at ${until}, but returned none after`);
    expect(returned).toBe(readable);
    // Copying must fail too, because the events from the reader are incomplete.
    await expect(copyEvents(readEvents(cutOff, { until }), createMemoryEventStore())).rejects.toThrow(
      'but returned none after',
    );
  });
});

describe('npm run migrate:store', () => {
  test('copies events as they are stored: personal data remains sealed', async () => {
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
    await createCommandHandler(sealing).execute(account, person.accountId, registerAccount, person, {
      actor: { kind: 'system', name: 'test' },
      correlationId: 'c',
    });
    await appendEvents(source.store, 300, 2);

    const { code, stdout, stderr } = await tools.run(
      'migrate-store',
      ['--from', source.connectionString, '--to', target.connectionString],
      {},
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^Verified: 60[12] events, sha256 [\da-f]{64}$/mu);
    const rows = await eventRowsOf(target);
    expect(rows).toEqual(await eventRowsOf(source));
    expect(rows.join()).toContain('$sealed');
    expect(rows.join()).not.toContain('somebody@example.com');
  });

  test('reads addresses with passwords from the environment, and does not print them', async () => {
    const [source, target] = [await openStore(), await openStore()];
    await appendEvents(source.store, 20, 2);
    const run = (to: string) =>
      tools.run('migrate-store', ['--from', 'env:SOURCE', '--to', 'env:TARGET'], {
        SOURCE: source.connectionString,
        TARGET: to,
      });
    const { code, stderr } = await run(target.connectionString);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await eventRowsOf(target)).toEqual(await eventRowsOf(source));
    const password = 'not-to-be-printed';
    const failed = await run(`postgres://somebody:${password}@127.0.0.1:1/events`);
    expect(failed.code).toBe(1);
    expect(failed.stdout + failed.stderr).not.toContain(password);
  });

  test('moves events to EventStoreDB and back, next to another application, with a prefix of streams', async () => {
    const [source, target, server] = [await openStore(), await openStore(), await startEventStoreServer()];
    try {
      await appendEvents(source.store, 200, 2);
      server.writeForeign({ stream: 'order-1', type: 'OrderPlaced' });
      server.writeForeign({ stream: 'shop-order-1', type: 'OrderPlaced' });
      for (const [from, to] of [
        [source.connectionString, server.url],
        [server.url, target.connectionString],
      ] as const) {
        const { code, stderr } = await tools.run('migrate-store', ['--from', from, '--to', to], {
          EVENTSTORE_STREAM_PREFIX: 'shop-',
        });
        expect({ code, stderr }).toMatchObject({ code: 0 });
      }
      expect(await eventRowsOf(target)).toEqual(await eventRowsOf(source));
      expect(server.log.from(0).filter(({ stream }) => !stream.startsWith('shop-'))).toHaveLength(1);
    } finally {
      server.close();
    }
  });

  test.each([
    ['a copy', []],
    ['a switch', ['--switch']],
  ])('rejects %s from EventStoreDB with another prefix than that of the installation', async (_what, options) => {
    const [own, target, server] = [await openStore(), await openStore(), await startEventStoreServer()];
    try {
      await own.pool.query("insert into es.store_in_use (kind, stream_prefix) values ('eventstoredb', 'shop-')");
      const to = options.length > 0 ? 'postgres' : target.connectionString;
      for (const prefix of ['', 'shop']) {
        const { code, stderr } = await tools.run('migrate-store', ['--from', server.url, '--to', to, ...options], {
          DATABASE_URL: own.connectionString,
          ...(prefix !== '' && { EVENTSTORE_STREAM_PREFIX: prefix }),
        });
        expect({ code, stderr }).toMatchObject({ code: 1 });
        expect(stderr).toContain('EVENTSTORE_STREAM_PREFIX');
        expect(stderr).toContain('must be "shop-"');
      }
      const { rows } = await own.pool.query('select kind, stream_prefix from es.store_in_use');
      expect(rows).toEqual([{ kind: 'eventstoredb', stream_prefix: 'shop-' }]);
    } finally {
      server.close();
    }
  });

  test.each([
    ['no arguments', []],
    ['no target', ['--from', 'postgres']],
    ['no store', ['--from', 'postgres', '--to', 'mysql://localhost/x']],
    ['an unknown option', ['--from', 'postgres', '--to', 'esdb://localhost:2113', '--force']],
    ['an extra argument', ['--from', 'postgres', '--to', 'esdb://localhost:2113', 'now']],
  ])('responds to %s with its usage and exit code 2', async (_what, args) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await main(args, { env: {}, rootDir: '/nowhere', ownsDataDir: false })).toBe(2);
    expect(written.mock.calls.flat().join()).toContain('Usage: npm run migrate:store');
  });

  test.each([
    ['is not set', {}, 'The environment variable TARGET is not set.'],
    ['is empty', { TARGET: '' }, 'The environment variable TARGET is not set.'],
    ['contains no address of a store', { TARGET: 'mysql://root:hidden@localhost/x' }, 'env:NAME'],
  ])('responds to a named variable that %s with its usage and exit code 2', async (_what, env, message) => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const args = ['--from', 'postgres', '--to', 'env:TARGET'];
    expect(await main(args, { env, rootDir: '/nowhere', ownsDataDir: false })).toBe(2);
    const printed = written.mock.calls.flat().join();
    expect(printed).toContain(message);
    expect(printed).toContain('Usage: npm run migrate:store');
    expect(printed).not.toContain('hidden');
  });
});
