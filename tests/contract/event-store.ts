import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  LogRewound,
  START_POSITION,
  comparePositions,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWholeHistory, readEventsThrough, takeEvents, takeEventsThrough } from '../support/event-histories.ts';
import { uniqueName } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { createCorrelatedEvents } from '../support/correlated-events.ts';
import { assertProperty } from '../support/property.ts';

/**
 * An open event store under test. `domain/src/ports/event-store.ts` describes the guarantees of a store.
 *
 * Stores may behave in the following ways, so callers must expect them:
 * - Positions define an order and may have gaps.
 * - A batch of a subscription may end in the middle of an append.
 * - An append that contains only the last events of an earlier append counts as a repetition of that append.
 * - A repeated event is recognized by its id. Its content is not compared.
 * - Concurrent appends may take effect in any order.
 * - An append that fails with `EventStoreUnavailable` may still be written. It can be repeated safely.
 * - Only some stores detect an id that belongs to an event of another stream.
 *
 * Other programs may write to the store during the tests, so the tests check only the events that they wrote.
 */
export interface EventStoreFixture {
  readonly store: EventStore;
  /** Opens a second store with the same events, if possible without shared memory. `close` also closes this store. */
  openAnother(): EventStore | Promise<EventStore>;
  /**
   * Removes the events after a position, like a failover or a restore that loses them. Only if the tests can do this.
   */
  rewindTo?(position: Position): void | Promise<void>;
  close(): Promise<void>;
}

export interface EventStoreTraits {
  /** True if each call of `open` creates an empty store to which only the tests write. */
  readonly isExclusive: boolean;
  /** True if the store rejects a new event whose id belongs to an event of another stream. */
  readonly detectsIdsOfAllStreams: boolean;
}

export function describeEventStore(
  name: string,
  open: () => Promise<EventStoreFixture>,
  { isExclusive, detectsIdsOfAllStreams }: EventStoreTraits,
): void {
  const { anEvent, someEvents, isMine, filterOwn } = createCorrelatedEvents();

  describe(`event store: ${name}`, () => {
    let fixture: EventStoreFixture;
    let store: EventStore;

    beforeAll(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterAll(() => fixture.close());

    const append = (stream: StreamId, events: readonly EventToAppend[], expectedRevision: ExpectedRevision = 'any') =>
      store.append(stream, events, { expectedRevision });

    async function readMineAfter(after: Position): Promise<RecordedEvent[]> {
      const events: RecordedEvent[] = [];
      for (;;) {
        const page = await store.readAll({ after: events.at(-1)?.position ?? after });
        if (page.length === 0) return events.filter(isMine);
        events.push(...page);
      }
    }

    const openViews = async () => [store, await fixture.openAnother(), await fixture.openAnother()] as const;

    describe('append and read', () => {
      if (isExclusive) {
        it('starts empty', async () => {
          const fresh = await open();
          try {
            expect(await fresh.store.readHead()).toBe(START_POSITION);
            expect(await fresh.store.readAll({ after: START_POSITION })).toEqual([]);
          } finally {
            await fresh.close();
          }
        });
      }

      it('reads appended events with revisions from 0 and increasing positions', async () => {
        const stream = uniqueName('stream');
        const events = someEvents(3);
        const result = await append(stream, events, 'no-stream');
        const recorded = await store.readStream(stream);

        expect(recorded.map(({ position: _, ...event }) => event)).toEqual(
          events.map((event, revision) => ({ ...event, stream, revision })),
        );
        expect(recorded.map(({ position }) => position)).toEqual(recorded.map(({ position }) => position).toSorted());
        expect(result).toEqual({ revision: 2, position: recorded[2]?.position });
      });

      it('reports the position of the last event as its head', async () => {
        const { position } = await append(uniqueName('stream'), someEvents(2));
        const head = await store.readHead();
        expect(comparePositions(head, position)).toBeGreaterThanOrEqual(0);
        expect(await readMineAfter(position)).toEqual([]);
        expect(await readMineAfter(head)).toEqual([]);
        const next = await append(uniqueName('stream'), someEvents(1));
        expect((await readMineAfter(head)).map((event) => event.position)).toEqual([next.position]);
      });

      if (isExclusive) {
        it('reports the position of the last append as its head', async () => {
          for (let index = 0; index < 3; index += 1) {
            const { position } = await append(uniqueName('stream'), someEvents(2));
            expect(await store.readHead()).toBe(position);
          }
        });
      }

      it('shows an acknowledged append to every other view immediately', async () => {
        const [first, second] = await openViews();
        for (let index = 0; index < 10; index += 1) {
          const stream = uniqueName('visible');
          const [event] = someEvents(1) as [EventToAppend];
          const { position } = await first.append(stream, [event], { expectedRevision: 'no-stream' });
          expect((await second.readStream(stream)).map(({ id }) => id)).toEqual([event.id]);
          expect(comparePositions(await second.readHead(), position)).toBeGreaterThanOrEqual(0);
        }
      });

      it('stores every JSON value and every Unicode text unchanged', async () => {
        await assertProperty(
          fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }), async (value, text) => {
            fc.pre(!text.includes('\0') && !JSON.stringify(value).includes('\\u0000'));
            const stream = uniqueName('json');
            const data = JSON.parse(
              JSON.stringify({ value, text, escapes: String.raw`\u0000 \\u0000 \ud800` }),
            ) as unknown;
            await append(stream, [anEvent({ data })]);
            expect((await store.readStream(stream))[0]?.data).toEqual(data);
          }),
          { name: 'stored JSON values', short: 60, minimum: 60, maximum: 600, time_s: 3 },
        );
      });

      it('does not change stored events when a caller changes its objects', async () => {
        const stream = uniqueName('stream');
        const data = { title: 'as written' };
        await append(stream, [anEvent({ data })]);
        data.title = 'changed by the writer';
        const [first] = await store.readStream(stream);
        (first?.data as { title: string }).title = 'changed by a reader';
        expect((await store.readStream(stream))[0]?.data).toEqual({ title: 'as written' });
      });

      it('reads an unknown stream as empty', async () => {
        expect(await store.readStream(uniqueName('unknown'))).toEqual([]);
        expect(await store.readStream(uniqueName('unknown'), { direction: 'backwards' })).toEqual([]);
      });

      it('separates streams with similar names', async () => {
        const stream = uniqueName('alike');
        await append(stream, someEvents(1));
        for (const other of [`${stream} `, stream.toUpperCase(), `${stream}%`, stream.slice(0, -1)]) {
          expect(await store.readStream(other as StreamId)).toEqual([]);
        }
      });

      it('reads a stream from a revision, in both directions, up to a limit', async () => {
        const stream = uniqueName('stream');
        await append(stream, someEvents(10));
        const revisions = async (options: Parameters<EventStore['readStream']>[1]) =>
          (await store.readStream(stream, options)).map(({ revision }) => revision);

        expect(await revisions({ from: 7 })).toEqual([7, 8, 9]);
        expect(await revisions({ from: 2, limit: 3 })).toEqual([2, 3, 4]);
        expect(await revisions({ from: 10 })).toEqual([]);
        expect(await revisions({ direction: 'backwards', limit: 2 })).toEqual([9, 8]);
        expect(await revisions({ from: 2, direction: 'backwards' })).toEqual([2, 1, 0]);
        expect(await revisions({ from: 99, direction: 'backwards', limit: 1 })).toEqual([9]);
      });

      it('reads all streams in position order, page by page, from any position', async () => {
        const start = await store.readHead();
        for (let index = 0; index < 5; index += 1) await append(uniqueName('stream'), someEvents(3));
        const all = await readMineAfter(start);
        expect(all).toHaveLength(15);

        const pages: RecordedEvent[] = [];
        for (let after = start; pages.filter(isMine).length < 15; after = pages.at(-1)?.position ?? after) {
          const page = await store.readAll({ after, limit: 4 });
          expect(page.length).toBeGreaterThan(0);
          expect(page.length).toBeLessThanOrEqual(4);
          pages.push(...page);
        }
        expect(pages.filter(isMine)).toEqual(all);
      });

      it('never returns more than 1,000 events at once', async () => {
        const start = await store.readHead();
        const stream = uniqueName('long');
        for (let index = 0; index < 3; index += 1) await append(stream, someEvents(400));
        expect(await store.readAll({ after: start })).toHaveLength(1_000);
        expect(await store.readAll({ after: start, limit: 5_000 })).toHaveLength(1_000);
        expect(await store.readStream(stream)).toHaveLength(1_000);
        expect(await store.readStream(stream, { from: 1_000 })).toHaveLength(200);
      });

      it('reads only the requested types', async () => {
        const start = await store.readHead();
        const stream = uniqueName('types');
        await append(
          stream,
          ['AdPosted', 'AdUpdated', 'AdPosted', 'AdDeleted'].map((type) => anEvent({ type })),
        );
        const types = async (...requested: string[]) => {
          const events = await store.readAll({ after: start, types: requested });
          expect(events.every(({ type }) => requested.includes(type))).toBe(true);
          return events.filter(isMine).map(({ type }) => type);
        };

        expect(await types('AdPosted')).toEqual(['AdPosted', 'AdPosted']);
        expect(await types('AdDeleted', 'AdUpdated')).toEqual(['AdUpdated', 'AdDeleted']);
        expect(await types('NeverSeen')).toEqual([]);
        expect(await types()).toEqual([]);
      });

      it('assigns positions that sort as text', async () => {
        const positions: Position[] = [];
        for (let index = 0; index < 12; index += 1)
          positions.push((await append(uniqueName('stream'), someEvents(1))).position);
        expect(positions.toSorted(comparePositions)).toEqual(positions);
        expect(comparePositions(START_POSITION, positions[0] ?? START_POSITION)).toBeLessThan(0);
      });

      it('rejects invalid limits, revisions and positions', async () => {
        await expect(store.readAll({ after: START_POSITION, limit: 0 })).rejects.toThrow(RangeError);
        await expect(store.readStream('stream' as StreamId, { limit: 1.5 })).rejects.toThrow(RangeError);
        await expect(store.readStream('stream' as StreamId, { from: -1 })).rejects.toThrow(RangeError);
        for (const after of ['12', 'x'.repeat(19), '9'.repeat(19), "' or true --"]) {
          await expect(store.readAll({ after: after as Position })).rejects.toThrow(RangeError);
        }
      });
    });

    describe('expected revision', () => {
      it('accepts a number, "no-stream" and "any"', async () => {
        const stream = uniqueName('stream');
        expect((await append(stream, someEvents(2), 'no-stream')).revision).toBe(1);
        expect((await append(stream, someEvents(1), 1)).revision).toBe(2);
        expect((await append(stream, someEvents(1), 'any')).revision).toBe(3);
        expect((await append(uniqueName('stream'), someEvents(1), 'any')).revision).toBe(0);
      });

      it.each<[ExpectedRevision, number]>([
        ['no-stream', 1],
        [0, 1],
        [2, 1],
        [99, 1],
      ])('rejects %s when the stream is at revision 1', async (expected, actual) => {
        const stream = uniqueName('stream');
        await append(stream, someEvents(2));
        await expect(append(stream, someEvents(2), expected)).rejects.toMatchObject({
          name: 'ConcurrencyConflict',
          stream,
          expected,
          actual,
        });
        expect(await store.readStream(stream)).toHaveLength(2);
      });

      it('rejects a number for an empty stream', async () => {
        const stream = uniqueName('stream');
        await expect(append(stream, someEvents(1), 0)).rejects.toMatchObject({
          name: 'ConcurrencyConflict',
          actual: -1,
        });
        expect(await store.readStream(stream)).toEqual([]);
      });

      it('accepts exactly one of several concurrent appends for each revision', async () => {
        const stream = uniqueName('contested');
        const views = await openViews();
        for (let round = 0; round < 10; round += 1) {
          const expectedRevision = round === 0 ? 'no-stream' : round - 1;
          const attempts = await Promise.allSettled(
            Array.from({ length: 12 }, (_, index) =>
              (views[index % 3] ?? store).append(stream, someEvents(1), { expectedRevision }),
            ),
          );
          expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
          for (const attempt of attempts)
            if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(ConcurrencyConflict);
        }
        expect((await store.readStream(stream)).map(({ revision }) => revision)).toEqual([
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
        ]);
      });

      it('does not affect concurrent appends when one append conflicts', async () => {
        const stream = uniqueName('stream');
        await append(stream, someEvents(1));
        const neighbours = Array.from({ length: 20 }, () => uniqueName('neighbour'));
        const attempts = await Promise.allSettled([
          ...neighbours.slice(0, 10).map((neighbour) => append(neighbour, someEvents(2), 'no-stream')),
          append(stream, someEvents(3), 'no-stream'),
          ...neighbours.slice(10).map((neighbour) => append(neighbour, someEvents(2), 'no-stream')),
        ]);
        expect(attempts.map(({ status }) => status === 'rejected')).toEqual(
          Array.from({ length: 21 }, (_, index) => index === 10),
        );
        for (const neighbour of neighbours) expect(await store.readStream(neighbour)).toHaveLength(2);
      });

      it('stores all concurrent appends to one stream that expect any revision', async () => {
        const stream = uniqueName('busy');
        const events = someEvents(100);
        const results = await Promise.all(events.map((event) => append(stream, [event])));
        expect(results.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual(
          events.map((_, index) => index),
        );
        const recorded = await store.readStream(stream);
        for (const [index, event] of events.entries())
          expect(recorded[results[index]?.revision ?? -1]?.id).toBe(event.id);
      });
    });

    describe('idempotent retry', () => {
      it.each<[string, ExpectedRevision]>([
        ['a number', 0],
        ['any', 'any'],
      ])(
        'returns the same result for a repeated append (expected: %s), even after later appends',
        async (_, expected) => {
          const stream = uniqueName('stream');
          await append(stream, someEvents(1));
          const events = someEvents(3);
          const first = await append(stream, events, expected);
          expect(await append(stream, events, expected)).toEqual(first);
          await append(stream, someEvents(2));
          await append(uniqueName('other'), someEvents(1));
          expect(await append(stream, events, expected)).toEqual(first);
          for (const view of await openViews())
            expect(await view.append(stream, events, { expectedRevision: expected })).toEqual(first);
          expect(await store.readStream(stream)).toHaveLength(6);
        },
      );

      it('returns the same result for the repeated first append of a stream', async () => {
        const stream = uniqueName('stream');
        const events = someEvents(2);
        const first = await append(stream, events, 'no-stream');
        expect(await append(stream, events, 'no-stream')).toEqual(first);
      });

      it('writes once when the same append is sent several times concurrently', async () => {
        const stream = uniqueName('stream');
        const events = someEvents(2);
        const views = await openViews();
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            (views[index % 3] ?? store).append(stream, events, { expectedRevision: 'no-stream' }),
          ),
        );
        expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
        expect(await store.readStream(stream)).toHaveLength(2);
      });

      it('rejects a whole append when an id belongs to another event of the stream', async () => {
        const [first, second, third] = someEvents(3) as [EventToAppend, EventToAppend, EventToAppend];
        const stream = uniqueName('stream');
        const { position } = await append(stream, [first, second], 'no-stream');

        const attempts: [EventToAppend[], ExpectedRevision][] = [
          [[first, third], 'no-stream'],
          [[third, second], 1],
          [[second, first], 'no-stream'],
          [[second, third], 'any'],
          [[third, first], 'any'],
        ];
        for (const [events, expectedRevision] of attempts) {
          for (const view of await openViews())
            await expect(view.append(stream, events, { expectedRevision })).rejects.toThrow(InvalidAppend);
        }
        expect(await readMineAfter(position)).toEqual([]);
      });

      if (detectsIdsOfAllStreams) {
        it('rejects an append when an id belongs to an event of another stream', async () => {
          const [first, second] = someEvents(2) as [EventToAppend, EventToAppend];
          const { position } = await append(uniqueName('stream'), [first, second], 'no-stream');
          await expect(append(uniqueName('other'), [first, second], 'no-stream')).rejects.toThrow(InvalidAppend);
          await expect(append(uniqueName('other'), [first], 'any')).rejects.toThrow(InvalidAppend);
          expect(await readMineAfter(position)).toEqual([]);
        });
      }

      it('does not affect concurrent appends when one append is rejected', async () => {
        const [stream, taken] = [uniqueName('stream'), anEvent()];
        await append(stream, [taken]);
        const neighbours = Array.from({ length: 10 }, () => uniqueName('neighbour'));
        const attempts = await Promise.allSettled([
          append(stream, [taken, anEvent()]),
          ...neighbours.map((neighbour) => append(neighbour, someEvents(1), 'no-stream')),
        ]);
        expect(attempts.map(({ status }) => status)).toEqual(['rejected', ...neighbours.map(() => 'fulfilled')]);
      });
    });

    describe('invalid input', () => {
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;
      const repeated = anEvent();

      it.each<[string, string, EventToAppend[], ExpectedRevision]>([
        ['no event', 'stream', [], 'any'],
        ['501 events', 'stream', someEvents(501), 'any'],
        ['more than 1 MB', 'stream', [anEvent({ data: { text: 'ä'.repeat(600_000) } })], 'any'],
        ['the same id twice', 'stream', [repeated, repeated], 'any'],
        ['an id that is not a UUID', 'stream', [anEvent({ id: 'one' })], 'any'],
        ['an empty stream name', '', someEvents(1), 'any'],
        ['a long stream name', 'x'.repeat(201), someEvents(1), 'any'],
        ['U+0000 in the stream name', 'a\0b', someEvents(1), 'any'],
        ['an unpaired surrogate in the stream name', 'a\ud800', someEvents(1), 'any'],
        ['a stream name that is reserved for servers', '$all', someEvents(1), 'any'],
        ['an empty type', 'stream', [anEvent({ type: '' })], 'any'],
        ['U+0000 in the type', 'stream', [anEvent({ type: 'A\0' })], 'any'],
        ['a type that is reserved for servers', 'stream', [anEvent({ type: '$metadata' })], 'any'],
        ['version 0', 'stream', [anEvent({ version: 0 })], 'any'],
        ['a fractional version', 'stream', [anEvent({ version: 1.5 })], 'any'],
        ['U+0000 in a text', 'stream', [anEvent({ data: { text: 'a\0b' } })], 'any'],
        ['U+0000 after a backslash', 'stream', [anEvent({ data: { text: '\\\0' } })], 'any'],
        ['U+0000 in a key', 'stream', [anEvent({ data: { 'a\0b': 1 } })], 'any'],
        ['an unpaired surrogate in a text', 'stream', [anEvent({ data: ['\udc00'] })], 'any'],
        ['no data', 'stream', [anEvent({ data: undefined })], 'any'],
        ['data that is not JSON', 'stream', [anEvent({ data: { count: 1n } })], 'any'],
        ['cyclic data', 'stream', [anEvent({ data: cyclic })], 'any'],
        ['a negative revision', 'stream', someEvents(1), -1],
        ['a fractional revision', 'stream', someEvents(1), 0.5],
        ['a revision that is too large', 'stream', someEvents(1), 2 ** 31],
      ])('rejects %s', async (_, stream, events, expected) => {
        const head = await store.readHead();
        await expect(append(stream as StreamId, events, expected)).rejects.toThrow(InvalidAppend);
        expect(await readMineAfter(head)).toEqual([]);
      });

      it('accepts an append of the maximum size', async () => {
        const stream = uniqueName('large');
        expect((await append(stream, someEvents(500))).revision).toBe(499);
        expect((await append(stream, [anEvent({ data: { text: 'x'.repeat(1_000_000) } })])).revision).toBe(500);
      });
    });

    describe('order', () => {
      it('delivers all positions in ascending order for every interleaving of writers', async () => {
        const plan = fc.array(
          fc.array(fc.record({ stream: fc.nat(5), size: fc.constantFrom(1, 1, 2, 30) }), {
            minLength: 1,
            maxLength: 12,
          }),
          { minLength: 2, maxLength: 8 },
        );
        const views = await openViews();

        await assertProperty(
          fc.asyncProperty(plan, fc.integer({ min: 1, max: 20 }), async (writers, pageLimit) => {
            const run = uniqueName('interleaved');
            const start = await store.readHead();
            const last = anEvent();
            const abort = new AbortController();
            const subscribed = views.map((view) =>
              takeEventsThrough(filterOwn(view.subscribeAll({ after: start, signal: abort.signal })), last.id),
            );
            const polled = readEventsThrough(views[1], start, last.id, pageLimit);

            const written = await Promise.all(
              writers.map(async (appends, writer) => {
                const view = views[writer % views.length] ?? store;
                const events: EventToAppend[] = [];
                for (const { stream, size } of appends) {
                  const batch = someEvents(size);
                  await view.append(`${run}-${stream}` as StreamId, batch, { expectedRevision: 'any' });
                  events.push(...batch);
                }
                return events;
              }),
            );

            await store.append(`${run}-last` as StreamId, [last], { expectedRevision: 'no-stream' });
            written.push([last]);

            for (const delivered of [
              ...(await Promise.all(subscribed)),
              (await polled).filter(isMine),
              await readMineAfter(start),
            ])
              expectWholeHistory(delivered, written);
            abort.abort();
          }),
          { name: 'histories of parallel writers', short: 40, minimum: 40, maximum: 400, time_s: 10 },
        );
      });
    });

    describe('subscription', () => {
      it('continues from stored to new events without gaps or duplicates', async () => {
        const start = await store.readHead();
        const writer = await fixture.openAnother();
        const history = someEvents(2_400);
        for (let index = 0; index < history.length; index += 400)
          await append(uniqueName('history'), history.slice(index, index + 400));

        const abort = new AbortController();
        const live = someEvents(300);
        const delivered = takeEvents(
          filterOwn(store.subscribeAll({ after: start, signal: abort.signal })),
          history.length + live.length,
        );
        const stream = uniqueName('live');
        for (const event of live) await writer.append(stream, [event], { expectedRevision: 'any' });
        expectWholeHistory(await delivered, [history, live]);
        abort.abort();
      });

      it('delivers batches of 1 to 1,000 events', async () => {
        const start = await store.readHead();
        for (let index = 0; index < 5; index += 1) await append(uniqueName('history'), someEvents(500));
        const abort = new AbortController();
        const sizes: number[] = [];
        for await (const batch of store.subscribeAll({ after: start, signal: abort.signal })) {
          sizes.push(batch.length);
          if (sizes.reduce((sum, size) => sum + size, 0) >= 2_500) abort.abort();
        }
        expect(Math.min(...sizes)).toBeGreaterThan(0);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
      });

      it('resumes exactly after any checkpoint', async () => {
        const start = await store.readHead();
        const events = someEvents(30);
        await append(uniqueName('stream'), events);
        const abort = new AbortController();
        const whole = await takeEvents(filterOwn(store.subscribeAll({ after: start, signal: abort.signal })), 30);
        for (const at of [0, 13, 28]) {
          const rest = await takeEvents(
            filterOwn(store.subscribeAll({ after: whole[at]?.position ?? start, signal: abort.signal })),
            29 - at,
          );
          expect(rest).toEqual(whole.slice(at + 1));
        }
        abort.abort();
      });

      it('delivers only the requested types, even between many other events', async () => {
        const start = await store.readHead();
        const abort = new AbortController();
        const wanted = Array.from({ length: 4 }, () => anEvent({ type: 'Wanted' }));
        const delivered = takeEvents(
          filterOwn(store.subscribeAll({ after: start, types: ['Wanted'], signal: abort.signal })),
          wanted.length,
        );
        for (const event of wanted) {
          for (let index = 0; index < 3; index += 1) await append(uniqueName('others'), someEvents(500));
          await append(uniqueName('stream'), [event]);
        }
        expect((await delivered).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
        abort.abort();
      });

      it('delivers all events to a slow subscriber without delaying others', async () => {
        const start = await store.readHead();
        const abort = new AbortController();
        const slow = filterOwn(store.subscribeAll({ after: start, signal: abort.signal }))[Symbol.asyncIterator]();
        const events = [anEvent()];
        await append(uniqueName('stream'), events);
        const delivered = [...((await slow.next()).value as RecordedEvent[])];
        const fast = takeEvents(filterOwn(store.subscribeAll({ after: start, signal: abort.signal })), 5_001);
        const stream = uniqueName('burst');
        for (let index = 0; index < 10; index += 1) {
          const burst = someEvents(500);
          await append(stream, burst);
          events.push(...burst);
        }
        expectWholeHistory(await fast, [events]);
        while (delivered.length < events.length) delivered.push(...((await slow.next()).value as RecordedEvent[]));
        expectWholeHistory(delivered, [events]);
        abort.abort();
      });

      it('serves many subscribers at once', async () => {
        const start = await store.readHead();
        const abort = new AbortController();
        const subscribers = Array.from({ length: 30 }, () =>
          takeEvents(filterOwn(store.subscribeAll({ after: start, signal: abort.signal })), 50),
        );
        const [stream, events] = [uniqueName('popular'), someEvents(50)];
        for (const event of events) await append(stream, [event]);
        for (const delivered of await Promise.all(subscribers)) expectWholeHistory(delivered, [events]);
        abort.abort();
      });

      it('ends without an error when aborted before the start, during a wait or between batches', async () => {
        const idle = await store.readHead();
        const aborted = AbortSignal.abort();
        for await (const _ of store.subscribeAll({ after: START_POSITION, signal: aborted })) expect.unreachable();

        const waiting = new AbortController();
        const ended = takeEvents(filterOwn(store.subscribeAll({ after: idle, signal: waiting.signal })), 1);
        setImmediate(() => waiting.abort());
        expect(await ended).toEqual([]);

        await append(uniqueName('stream'), someEvents(1));
        const between = new AbortController();
        let batches = 0;
        for await (const _ of filterOwn(store.subscribeAll({ after: idle, signal: between.signal }))) {
          batches += 1;
          between.abort();
        }
        expect(batches).toBe(1);
      });

      it('ends when the reader stops iterating', async () => {
        await append(uniqueName('stream'), someEvents(1));
        for await (const batch of store.subscribeAll({ after: START_POSITION, signal: new AbortController().signal })) {
          expect(batch.length).toBeGreaterThan(0);
          break;
        }
      });

      it('rejects an invalid position', async () => {
        await append(uniqueName('stream'), someEvents(1));
        await expect(
          takeEvents(store.subscribeAll({ after: 'nowhere' as Position, signal: new AbortController().signal }), 1),
        ).rejects.toThrow(RangeError);
      });
    });

    describe('a log that was replaced by an older state', () => {
      const firstEvent = async (options: { after: Position; afterId?: string | null; from?: EventStore }) =>
        takeEvents((options.from ?? store).subscribeAll({ ...options, signal: new AbortController().signal }), 1);

      it('returns the id of the event at a position', async () => {
        const [first, second] = someEvents(2) as [EventToAppend, EventToAppend];
        const stream = uniqueName('stream');
        await append(stream, [first, second]);
        const [one, two] = (await store.readStream(stream)) as [RecordedEvent, RecordedEvent];
        expect(await store.findEventId(one.position, first.id)).toBe(first.id);
        expect(await store.findEventId(two.position, null)).toBe(second.id);
        expect(await store.findEventId(START_POSITION, null)).toBeNull();
      });

      it('continues after an event if the log still contains it', async () => {
        const stream = uniqueName('stream');
        await append(stream, someEvents(1));
        const [{ position: after, id: afterId }] = (await store.readStream(stream)) as [RecordedEvent];
        const [event] = someEvents(1) as [EventToAppend];
        const received = takeEventsThrough(
          store.subscribeAll({ after, afterId, signal: new AbortController().signal }),
          event.id,
        );
        await append(stream, [event]);
        expect((await received).at(-1)?.id).toBe(event.id);
      });

      it('rejects a subscription if another event is at its position', async () => {
        const { position: after } = await append(uniqueName('stream'), someEvents(1));
        await expect(firstEvent({ after, afterId: crypto.randomUUID() })).rejects.toThrow(LogRewound);
        await append(uniqueName('stream'), someEvents(1));
        await expect(firstEvent({ after, afterId: crypto.randomUUID() })).rejects.toThrow(LogRewound);
      });

      it('rejects a subscription from a position beyond the end of the log', async () => {
        const { position } = await append(uniqueName('stream'), someEvents(1));
        const after = position.replace(/^\d{2}/u, '08') as Position;
        await expect(firstEvent({ after })).rejects.toThrow(LogRewound);
      });

      if (isExclusive) {
        it.for([
          { lost: 3, added: 0 },
          { lost: 3, added: 1 },
          { lost: 3, added: 3 },
          { lost: 3, added: 5 },
        ])('ends a waiting subscription after the loss of $lost events and $added new events', async (events) => {
          const fresh = await open();
          try {
            if (!fresh.rewindTo) return;
            const stream = uniqueName('stream');
            const { position } = await fresh.store.append(stream, someEvents(2), { expectedRevision: 'any' });
            const lost = someEvents(events.lost);
            await fresh.store.append(stream, lost, { expectedRevision: 'any' });
            const received: string[] = [];
            const read = async () => {
              for await (const batch of fresh.store.subscribeAll({
                after: START_POSITION,
                signal: new AbortController().signal,
              }))
                received.push(...batch.map(({ id }) => id));
            };
            // The subscription may end before the test awaits it, so its rejection is handled from the start.
            const ended = read().then(
              () => null,
              (error: unknown) => error,
            );
            await eventually(() => expect(received.at(-1)).toBe(lost.at(-1)?.id));
            await fresh.rewindTo(position);
            if (events.added > 0) {
              const other = await fresh.openAnother();
              await other.append(uniqueName('other'), someEvents(events.added), { expectedRevision: 'any' });
            }
            expect(await ended).toBeInstanceOf(LogRewound);
            expect(received).toHaveLength(2 + events.lost);
          } finally {
            await fresh.close();
          }
        });
      }
    });

    describe('close', () => {
      it('completes pending appends, rejects later ones and ends subscriptions', async () => {
        const fresh = await open();
        try {
          const subscription = takeEvents(
            fresh.store.subscribeAll({ after: START_POSITION, signal: new AbortController().signal }),
            Infinity,
          );
          const pending = Array.from({ length: 50 }, () =>
            fresh.store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'no-stream' }),
          );
          const closing = fresh.store.close();
          expect(await Promise.all(pending)).toHaveLength(50);
          await closing;
          await subscription;
          await expect(
            fresh.store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'any' }),
          ).rejects.toThrow(EventStoreUnavailable);
          await fresh.store.close();
        } finally {
          await fresh.close();
        }
      });
    });
  });
}
