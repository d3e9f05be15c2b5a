import { setTimeout as pause } from 'node:timers/promises';
import {
  EventStoreUnavailable,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type StreamId,
} from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWholeHistory, takeEventsThrough } from '../support/event-histories.ts';
import { uniqueName } from '../support/events.ts';
import { createCorrelatedEvents } from '../support/correlated-events.ts';

/** An event store whose network connection a test can cut. */
export interface OutageFixture {
  readonly store: EventStore;
  /** An event store with the same events, whose separate connection is never cut. */
  readonly direct: EventStore;
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

const CUTS = 12;

/**
 * Repeats an append until the store acknowledges it, as callers of a store do. Throws all errors except
 * `EventStoreUnavailable`.
 */
export async function appendUntilAcknowledged(
  store: EventStore,
  stream: StreamId,
  events: readonly EventToAppend[],
  expectedRevision: ExpectedRevision,
): Promise<void> {
  for (;;) {
    try {
      await store.append(stream, events, { expectedRevision });
      return;
    } catch (error) {
      if (!(error instanceof EventStoreUnavailable)) throw error;
    }
  }
}

/** Tests what every event store on a server guarantees while its network connection fails. */
export function describeEventStoreOutages(name: string, open: () => Promise<OutageFixture>): void {
  const { someEvents, filterOwn } = createCorrelatedEvents();

  describe(`event store, broken connections: ${name}`, () => {
    let fixture: OutageFixture;
    beforeAll(async () => {
      fixture = await open();
    });
    afterAll(() => fixture.close());

    it('reports an outage within a limit and then writes the repeated append once', async () => {
      const { store, direct } = fixture;
      const stream = uniqueName('stream');
      const [before, during] = [someEvents(3), someEvents(2)];
      const { position: head } = await store.append(stream, before, { expectedRevision: 'no-stream' });

      await fixture.cut();
      // The network connection stays cut, so each operation of the event store must end after its time limit.
      const attempts = [
        store.append(stream, during, { expectedRevision: 2 }),
        store.append(uniqueName('other'), someEvents(1), { expectedRevision: 'any' }),
        store.readStream(stream),
        store.readAll({ after: head }),
        store.readHead(),
      ];
      for (const { status, reason } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[]) {
        expect(status).toBe('rejected');
        expect(reason).toBeInstanceOf(EventStoreUnavailable);
      }

      await fixture.restore();
      await appendUntilAcknowledged(store, stream, during, 2);
      const { position } = await store.append(stream, during, { expectedRevision: 2 });
      const recorded = await direct.readStream(stream);
      expect(recorded.map(({ id }) => id)).toEqual([...before, ...during].map(({ id }) => id));
      expect(recorded.at(-1)?.position).toBe(position);
    });

    it('resumes a subscription automatically without gaps or duplicates', async () => {
      const { store, direct } = fixture;
      const abort = new AbortController();
      const last = someEvents(1);
      const start = await direct.readHead();
      const all = takeEventsThrough(
        filterOwn(store.subscribeAll({ after: start, signal: abort.signal })),
        last[0]?.id ?? '',
      );
      const filtered = takeEventsThrough(
        filterOwn(store.subscribeAll({ after: start, types: ['SomethingHappened'], signal: abort.signal })),
        last[0]?.id ?? '',
      );

      const written: EventToAppend[] = [];
      for (let round = 0; round < 6; round += 1) {
        for (let count = 0; count < 10; count += 1) {
          const events = someEvents(20);
          await direct.append(uniqueName('stream'), events, { expectedRevision: 'no-stream' });
          written.push(...events);
          if (count === 3) await fixture.cut();
          if (count === 8) await fixture.restore();
        }
        await pause(50 * round);
      }
      await direct.append(uniqueName('stream'), last, { expectedRevision: 'no-stream' });
      for (const events of await Promise.all([all, filtered])) expectWholeHistory(events, [[...written, ...last]]);
      abort.abort();
    });

    it('neither loses nor duplicates an append when the connection fails before the response', async () => {
      const { store, direct } = fixture;
      let cuts = 0;
      const cutting = (async () => {
        for (; cuts < CUTS; cuts += 1) {
          await pause(60 + ((cuts * 37) % 140));
          await fixture.cut();
          await fixture.restore();
        }
      })();

      async function writeDuringCuts(expectation: 'revision' | 'any'): Promise<void> {
        const stream = uniqueName('stream');
        const ids: string[] = [];
        while (cuts < CUTS) {
          const events = someEvents(1);
          await appendUntilAcknowledged(
            store,
            stream,
            events,
            expectation === 'any' ? 'any' : ids.length === 0 ? 'no-stream' : ids.length - 1,
          );
          ids.push(...events.map(({ id }) => id));
        }
        for (let from = 0; from < ids.length; from += 1_000) {
          expect((await direct.readStream(stream, { from })).map(({ id }) => id)).toEqual(
            ids.slice(from, from + 1_000),
          );
        }
        expect((await direct.readStream(stream, { direction: 'backwards', limit: 1 }))[0]?.id).toBe(ids.at(-1));
      }
      await Promise.all([
        writeDuringCuts('revision'),
        writeDuringCuts('revision'),
        writeDuringCuts('any'),
        writeDuringCuts('any'),
      ]);
      await cutting;
    });

    it('ends a subscription and closes while the connection is cut', async () => {
      const other = await open();
      const abort = new AbortController();
      const ended = Promise.all(
        [abort.signal, new AbortController().signal].map(async (signal) => {
          for await (const _ of other.store.subscribeAll({ after: await other.direct.readHead(), signal }));
        }),
      );
      await other.cut();
      abort.abort();
      // The network connection stays cut, so closing the event store must not wait for it.
      await other.store.close();
      await ended;
      await other.close();
    });
  });
}
