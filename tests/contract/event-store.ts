import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  START,
  comparePositions,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWholeHistory, pollThrough, take, takeThrough } from '../support/event-histories.ts';
import { uniqueName } from '../support/events.ts';
import { ownEvents } from '../support/own-events.ts';

/**
 * What every event store promises (`domain/src/ports/event-store.ts`).
 *
 * Not promised, so not to be relied on:
 * - that positions or their differences mean anything but order; some stores leave gaps;
 * - that a batch of a subscription holds whole appends: it may end in the middle of one;
 * - where one append ended and the next began: a repeat of the tail of an earlier append counts as a repeat;
 * - that a repeated id is compared by content: the id is the event;
 * - the order in which appends take effect that were not awaited one after the other;
 * - that an append answered with `EventStoreUnavailable` was not written; only that repeating it is safe;
 * - that an id which an event of another stream has is noticed, unless the store's traits say so.
 *
 * The store may hold events of others, and others may write to it meanwhile: what is said of all events is said of this run's own.
 */
export interface EventStoreFixture {
  readonly store: EventStore;
  /** A second view of the same events with nothing shared in memory, where the store can have one. Closed with the fixture. */
  openAnother(): EventStore | Promise<EventStore>;
  close(): Promise<void>;
}

export interface EventStoreTraits {
  /** Each `open` gives a new store in which nobody else writes. */
  readonly isOurs: boolean;
  /** An id is noticed in whatever stream it is. */
  readonly knowsIdsOfAllStreams: boolean;
}

export function describeEventStore(
  name: string,
  open: () => Promise<EventStoreFixture>,
  { isOurs, knowsIdsOfAllStreams }: EventStoreTraits,
): void {
  const { anEvent, someEvents, isMine, mine } = ownEvents();

  describe(`event store: ${name}`, () => {
    let fixture: EventStoreFixture;
    let store: EventStore;

    beforeAll(async () => {
      fixture = await open();
      store = fixture.store;
    });
    afterAll(() => fixture.close());

    const append = (stream: string, events: readonly EventToAppend[], expectedRevision: ExpectedRevision = 'any') =>
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
      if (isOurs) {
        it('starts empty', async () => {
          const fresh = await open();
          try {
            expect(await fresh.store.head()).toBe(START);
            expect(await fresh.store.readAll({ after: START })).toEqual([]);
          } finally {
            await fresh.close();
          }
        });
      }

      it('gives back what was appended, with revisions from 0 and rising positions', async () => {
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

      it('has the position of its last event for its head', async () => {
        const { position } = await append(uniqueName('stream'), someEvents(2));
        const head = await store.head();
        expect(comparePositions(head, position)).toBeGreaterThanOrEqual(0);
        expect(await readMineAfter(position)).toEqual([]);
        expect(await readMineAfter(head)).toEqual([]);
        const next = await append(uniqueName('stream'), someEvents(1));
        expect((await readMineAfter(head)).map((event) => event.position)).toEqual([next.position]);
      });

      if (isOurs) {
        it('has the last answer of an append for its head', async () => {
          for (let index = 0; index < 3; index += 1) {
            const { position } = await append(uniqueName('stream'), someEvents(2));
            expect(await store.head()).toBe(position);
          }
        });
      }

      it('shows every view what one view was told is written', async () => {
        const [first, second] = await openViews();
        for (let index = 0; index < 10; index += 1) {
          const stream = uniqueName('seen');
          const [event] = someEvents(1) as [EventToAppend];
          const { position } = await first.append(stream, [event], { expectedRevision: 'no-stream' });
          expect((await second.readStream(stream)).map(({ id }) => id)).toEqual([event.id]);
          expect(comparePositions(await second.head(), position)).toBeGreaterThanOrEqual(0);
        }
      });

      it('keeps every JSON value and every Unicode text as it was', async () => {
        await fc.assert(
          fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }), async (value, text) => {
            fc.pre(!text.includes('\0') && !JSON.stringify(value).includes('\\u0000'));
            const stream = uniqueName('json');
            const data = JSON.parse(
              JSON.stringify({ value, text, escapes: String.raw`\u0000 \\u0000 \ud800` }),
            ) as unknown;
            await append(stream, [anEvent({ data })]);
            expect((await store.readStream(stream))[0]?.data).toEqual(data);
          }),
          { numRuns: 60 },
        );
      });

      it('does not let a reader or a writer change history through an object it holds', async () => {
        const stream = uniqueName('stream');
        const data = { title: 'as written' };
        await append(stream, [anEvent({ data })]);
        data.title = 'changed by the writer';
        const [first] = await store.readStream(stream);
        (first?.data as { title: string }).title = 'changed by a reader';
        expect((await store.readStream(stream))[0]?.data).toEqual({ title: 'as written' });
      });

      it('has an unknown stream be empty', async () => {
        expect(await store.readStream(uniqueName('nobody'))).toEqual([]);
        expect(await store.readStream(uniqueName('nobody'), { direction: 'backwards' })).toEqual([]);
      });

      it('keeps streams apart whose names look alike', async () => {
        const stream = uniqueName('alike');
        await append(stream, someEvents(1));
        for (const other of [`${stream} `, stream.toUpperCase(), `${stream}%`, stream.slice(0, -1)]) {
          expect(await store.readStream(other)).toEqual([]);
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
        const start = await store.head();
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

      it('never answers more than 1,000 events at once', async () => {
        const start = await store.head();
        const stream = uniqueName('long');
        for (let index = 0; index < 3; index += 1) await append(stream, someEvents(400));
        expect(await store.readAll({ after: start })).toHaveLength(1_000);
        expect(await store.readAll({ after: start, limit: 5_000 })).toHaveLength(1_000);
        expect(await store.readStream(stream)).toHaveLength(1_000);
        expect(await store.readStream(stream, { from: 1_000 })).toHaveLength(200);
      });

      it('reads only the types asked for', async () => {
        const start = await store.head();
        const stream = uniqueName('types');
        await append(
          stream,
          ['AdPosted', 'AdUpdated', 'AdPosted', 'AdDeleted'].map((type) => anEvent({ type })),
        );
        const types = async (...asked: string[]) => {
          const events = await store.readAll({ after: start, types: asked });
          expect(events.every(({ type }) => asked.includes(type))).toBe(true);
          return events.filter(isMine).map(({ type }) => type);
        };

        expect(await types('AdPosted')).toEqual(['AdPosted', 'AdPosted']);
        expect(await types('AdDeleted', 'AdUpdated')).toEqual(['AdUpdated', 'AdDeleted']);
        expect(await types('NeverSeen')).toEqual([]);
        expect(await types()).toEqual([]);
      });

      it('orders positions as texts', async () => {
        const positions: Position[] = [];
        for (let index = 0; index < 12; index += 1)
          positions.push((await append(uniqueName('stream'), someEvents(1))).position);
        expect(positions.toSorted(comparePositions)).toEqual(positions);
        expect(comparePositions(START, positions[0] ?? START)).toBeLessThan(0);
      });

      it('refuses limits, revisions and positions that are none', async () => {
        await expect(store.readAll({ after: START, limit: 0 })).rejects.toThrow(RangeError);
        await expect(store.readStream('stream', { limit: 1.5 })).rejects.toThrow(RangeError);
        await expect(store.readStream('stream', { from: -1 })).rejects.toThrow(RangeError);
        for (const after of ['12', 'x'.repeat(19), '9'.repeat(19), "' or true --"]) {
          await expect(store.readAll({ after: after as Position })).rejects.toThrow(RangeError);
        }
      });
    });

    describe('expected revision', () => {
      it('holds for a number, for no stream, and for any', async () => {
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
      ])('refuses %s when the stream is at 1', async (expected, actual) => {
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

      it('refuses a number for a stream that is empty', async () => {
        const stream = uniqueName('stream');
        await expect(append(stream, someEvents(1), 0)).rejects.toMatchObject({
          name: 'ConcurrencyConflict',
          actual: -1,
        });
        expect(await store.readStream(stream)).toEqual([]);
      });

      it('lets exactly one of many concurrent writers win each revision', async () => {
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

      it('does not let a conflict touch the appends beside it', async () => {
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

      it('appends to one stream from many writers without an opinion, losing none', async () => {
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
      ])('answers the same again (expected: %s), also after later appends', async (_, expected) => {
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
      });

      it('answers the same again for the first append of a stream', async () => {
        const stream = uniqueName('stream');
        const events = someEvents(2);
        const first = await append(stream, events, 'no-stream');
        expect(await append(stream, events, 'no-stream')).toEqual(first);
      });

      it('writes once when the same append is sent several times at the same moment', async () => {
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

      it('refuses ids that other events of the stream have, whole and clearly', async () => {
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

      if (knowsIdsOfAllStreams) {
        it('refuses ids that events of other streams have', async () => {
          const [first, second] = someEvents(2) as [EventToAppend, EventToAppend];
          const { position } = await append(uniqueName('stream'), [first, second], 'no-stream');
          await expect(append(uniqueName('other'), [first, second], 'no-stream')).rejects.toThrow(InvalidAppend);
          await expect(append(uniqueName('other'), [first], 'any')).rejects.toThrow(InvalidAppend);
          expect(await readMineAfter(position)).toEqual([]);
        });
      }

      it('does not let such a refusal touch the appends beside it', async () => {
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

    describe('input that can never be stored', () => {
      const cyclic: Record<string, unknown> = {};
      cyclic['self'] = cyclic;
      const repeated = anEvent();

      it.each<[string, string, EventToAppend[], ExpectedRevision]>([
        ['no event', 'stream', [], 'any'],
        ['501 events', 'stream', someEvents(501), 'any'],
        ['more than 1 MB', 'stream', [anEvent({ data: { text: 'ä'.repeat(600_000) } })], 'any'],
        ['the same id twice', 'stream', [repeated, repeated], 'any'],
        ['an id that is no UUID', 'stream', [anEvent({ id: 'one' })], 'any'],
        ['an empty stream name', '', someEvents(1), 'any'],
        ['a long stream name', 'x'.repeat(201), someEvents(1), 'any'],
        ['U+0000 in the stream name', 'a\0b', someEvents(1), 'any'],
        ['half a surrogate pair in the stream name', 'a\ud800', someEvents(1), 'any'],
        ['a stream name that belongs to a server', '$all', someEvents(1), 'any'],
        ['an empty type', 'stream', [anEvent({ type: '' })], 'any'],
        ['U+0000 in the type', 'stream', [anEvent({ type: 'A\0' })], 'any'],
        ['a type that belongs to a server', 'stream', [anEvent({ type: '$metadata' })], 'any'],
        ['version 0', 'stream', [anEvent({ version: 0 })], 'any'],
        ['half a version', 'stream', [anEvent({ version: 1.5 })], 'any'],
        ['U+0000 in a text', 'stream', [anEvent({ data: { text: 'a\0b' } })], 'any'],
        ['U+0000 after a backslash', 'stream', [anEvent({ data: { text: '\\\0' } })], 'any'],
        ['U+0000 in a key', 'stream', [anEvent({ data: { 'a\0b': 1 } })], 'any'],
        ['half a surrogate pair in a text', 'stream', [anEvent({ data: ['\udc00'] })], 'any'],
        ['no data', 'stream', [anEvent({ data: undefined })], 'any'],
        ['data that is no JSON', 'stream', [anEvent({ data: { count: 1n } })], 'any'],
        ['data in a circle', 'stream', [anEvent({ data: cyclic })], 'any'],
        ['a negative revision', 'stream', someEvents(1), -1],
        ['half a revision', 'stream', someEvents(1), 0.5],
        ['a revision beyond all streams', 'stream', someEvents(1), 2 ** 31],
      ])('refuses %s', async (_, stream, events, expected) => {
        const head = await store.head();
        await expect(append(stream, events, expected)).rejects.toThrow(InvalidAppend);
        expect(await readMineAfter(head)).toEqual([]);
      });

      it('takes the largest append there may be', async () => {
        const stream = uniqueName('large');
        expect((await append(stream, someEvents(500))).revision).toBe(499);
        expect((await append(stream, [anEvent({ data: { text: 'x'.repeat(1_000_000) } })])).revision).toBe(500);
      });
    });

    describe('order', () => {
      it('never shows a reader a position below one it has seen, nor misses one, however writers interleave', async () => {
        const plan = fc.array(
          fc.array(fc.record({ stream: fc.nat(5), size: fc.constantFrom(1, 1, 2, 30) }), {
            minLength: 1,
            maxLength: 12,
          }),
          { minLength: 2, maxLength: 8 },
        );
        const views = await openViews();

        await fc.assert(
          fc.asyncProperty(plan, fc.integer({ min: 1, max: 20 }), async (writers, pageLimit) => {
            const run = uniqueName('interleaved');
            const start = await store.head();
            const last = anEvent();
            const abort = new AbortController();
            const subscribed = views.map((view) =>
              takeThrough(mine(view.subscribeAll({ after: start, signal: abort.signal })), last.id),
            );
            const polled = pollThrough(views[1], start, last.id, pageLimit);

            const written = await Promise.all(
              writers.map(async (appends, writer) => {
                const view = views[writer % views.length] ?? store;
                const events: EventToAppend[] = [];
                for (const { stream, size } of appends) {
                  const batch = someEvents(size);
                  await view.append(`${run}-${stream}`, batch, { expectedRevision: 'any' });
                  events.push(...batch);
                }
                return events;
              }),
            );

            await store.append(`${run}-last`, [last], { expectedRevision: 'no-stream' });
            written.push([last]);

            for (const seen of [
              ...(await Promise.all(subscribed)),
              (await polled).filter(isMine),
              await readMineAfter(start),
            ])
              expectWholeHistory(seen, written);
            abort.abort();
          }),
          { numRuns: 40 },
        );
      });
    });

    describe('subscription', () => {
      it('delivers history, turns live, and leaves no gap and no repeat at the seam', async () => {
        const start = await store.head();
        const writer = await fixture.openAnother();
        const history = someEvents(2_400);
        for (let index = 0; index < history.length; index += 400)
          await append(uniqueName('history'), history.slice(index, index + 400));

        const abort = new AbortController();
        const live = someEvents(300);
        const seen = take(
          mine(store.subscribeAll({ after: start, signal: abort.signal })),
          history.length + live.length,
        );
        const stream = uniqueName('live');
        for (const event of live) await writer.append(stream, [event], { expectedRevision: 'any' });
        expectWholeHistory(await seen, [history, live]);
        abort.abort();
      });

      it('delivers batches of 1 to 1,000 events', async () => {
        const start = await store.head();
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

      it('continues exactly behind any checkpoint', async () => {
        const start = await store.head();
        const events = someEvents(30);
        await append(uniqueName('stream'), events);
        const abort = new AbortController();
        const whole = await take(mine(store.subscribeAll({ after: start, signal: abort.signal })), 30);
        for (const at of [0, 13, 28]) {
          const rest = await take(
            mine(store.subscribeAll({ after: whole[at]?.position ?? start, signal: abort.signal })),
            29 - at,
          );
          expect(rest).toEqual(whole.slice(at + 1));
        }
        abort.abort();
      });

      it('delivers only the types asked for, and goes on past long stretches of others', async () => {
        const start = await store.head();
        const abort = new AbortController();
        const wanted = Array.from({ length: 4 }, () => anEvent({ type: 'Wanted' }));
        const seen = take(
          mine(store.subscribeAll({ after: start, types: ['Wanted'], signal: abort.signal })),
          wanted.length,
        );
        for (const event of wanted) {
          for (let index = 0; index < 3; index += 1) await append(uniqueName('others'), someEvents(500));
          await append(uniqueName('stream'), [event]);
        }
        expect((await seen).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
        abort.abort();
      });

      it('hands everything to a subscriber that is slower than the writers, and holds back nothing from others', async () => {
        const start = await store.head();
        const abort = new AbortController();
        const slow = mine(store.subscribeAll({ after: start, signal: abort.signal }))[Symbol.asyncIterator]();
        const events = [anEvent()];
        await append(uniqueName('stream'), events);
        const seen = [...((await slow.next()).value as RecordedEvent[])];
        const fast = take(mine(store.subscribeAll({ after: start, signal: abort.signal })), 5_001);
        const stream = uniqueName('burst');
        for (let index = 0; index < 10; index += 1) {
          const burst = someEvents(500);
          await append(stream, burst);
          events.push(...burst);
        }
        expectWholeHistory(await fast, [events]);
        while (seen.length < events.length) seen.push(...((await slow.next()).value as RecordedEvent[]));
        expectWholeHistory(seen, [events]);
        abort.abort();
      });

      it('serves many subscribers at once', async () => {
        const start = await store.head();
        const abort = new AbortController();
        const subscribers = Array.from({ length: 30 }, () =>
          take(mine(store.subscribeAll({ after: start, signal: abort.signal })), 50),
        );
        const [stream, events] = [uniqueName('popular'), someEvents(50)];
        for (const event of events) await append(stream, [event]);
        for (const seen of await Promise.all(subscribers)) expectWholeHistory(seen, [events]);
        abort.abort();
      });

      it('ends without an error when aborted: before it begins, while it waits, and between batches', async () => {
        const idle = await store.head();
        const aborted = AbortSignal.abort();
        for await (const _ of store.subscribeAll({ after: START, signal: aborted })) expect.unreachable();

        const waiting = new AbortController();
        const ended = take(mine(store.subscribeAll({ after: idle, signal: waiting.signal })), 1);
        setImmediate(() => waiting.abort());
        expect(await ended).toEqual([]);

        await append(uniqueName('stream'), someEvents(1));
        const between = new AbortController();
        let batches = 0;
        for await (const _ of mine(store.subscribeAll({ after: idle, signal: between.signal }))) {
          batches += 1;
          between.abort();
        }
        expect(batches).toBe(1);
      });

      it('can be left in the middle', async () => {
        await append(uniqueName('stream'), someEvents(1));
        for await (const batch of store.subscribeAll({ after: START, signal: new AbortController().signal })) {
          expect(batch.length).toBeGreaterThan(0);
          break;
        }
      });

      it('refuses a position that is none', async () => {
        await append(uniqueName('stream'), someEvents(1));
        await expect(
          take(store.subscribeAll({ after: 'nowhere' as Position, signal: new AbortController().signal }), 1),
        ).rejects.toThrow(RangeError);
      });
    });

    describe('close', () => {
      it('finishes appends under way, refuses later ones, and ends subscriptions', async () => {
        const fresh = await open();
        try {
          const subscription = take(
            fresh.store.subscribeAll({ after: START, signal: new AbortController().signal }),
            Infinity,
          );
          const underWay = Array.from({ length: 50 }, () =>
            fresh.store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'no-stream' }),
          );
          const closing = fresh.store.close();
          expect(await Promise.all(underWay)).toHaveLength(50);
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
