import {
  LogRewound,
  START_POSITION,
  type EventStore,
  type EventToAppend,
  type LogMark,
  type RecordedEvent,
} from '@alpenglow/domain';
import { withSharedSubscription } from '@alpenglow/infra';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCorrelatedEvents } from '../support/correlated-events.ts';
import { expectWholeHistory, takeEventsThrough } from '../support/event-histories.ts';
import { eventually } from '../support/eventually.ts';
import { uniqueName } from '../support/events.ts';
import type { EventStoreFixture } from './event-store.ts';

const READERS = 20;
/** A buffer of this size is full after one batch, so that every reader that is not the fastest one is too slow. */
const SMALL_BUFFER = { max_events: 10 };

/** Wraps an event store, and counts the subscriptions of it that were started and that run at the moment. */
function countSubscriptions(inner: EventStore) {
  const subscriptions = { started: 0, running: 0 };
  const store: EventStore = {
    ...inner,
    async *subscribeAll(options) {
      subscriptions.started += 1;
      subscriptions.running += 1;
      try {
        yield* inner.subscribeAll(options);
      } finally {
        subscriptions.running -= 1;
      }
    },
  };
  return { store, subscriptions };
}

/** Tests that the readers of one process share a subscription of an event store (decision 0076). */
export function describeSharedSubscription(
  name: string,
  open: () => Promise<EventStoreFixture>,
  { isExclusive }: { readonly isExclusive: boolean },
): void {
  const { anEvent, someEvents, filterOwn } = createCorrelatedEvents();

  describe(`shared subscription: ${name}`, () => {
    let fixture: EventStoreFixture;
    beforeAll(async () => {
      fixture = await open();
    });
    afterAll(() => fixture.close());

    async function headMark(): Promise<LogMark> {
      await fixture.store.append(uniqueName('begin'), someEvents(1), { expectedRevision: 'no-stream' });
      const position = await fixture.store.readHead();
      return { position, id: await fixture.store.findEventId(position, null) };
    }

    async function appendAll(events: readonly EventToAppend[]): Promise<void> {
      for (let from = 0; from < events.length; from += 500)
        await fixture.store.append(uniqueName('stream'), events.slice(from, from + 500), { expectedRevision: 'any' });
    }

    it('reads the log once for all readers at the same position, and returns the same objects', async () => {
      const { store, subscriptions } = countSubscriptions(fixture.store);
      const shared = withSharedSubscription(store);
      const abort = new AbortController();
      const begin = await headMark();
      const events = someEvents(1_200);
      const last = events.at(-1)?.id ?? '';
      const reading = Array.from({ length: READERS }, () =>
        takeEventsThrough(
          filterOwn(shared.subscribeAll({ after: begin.position, afterId: begin.id, signal: abort.signal })),
          last,
        ),
      );
      await appendAll(events);
      const delivered = await Promise.all(reading);
      for (const one of delivered) expectWholeHistory(one, [events]);
      expect(subscriptions.started).toBe(1);
      for (const one of delivered)
        expect(
          one.every((event, index) => event === delivered[0]?.[index]),
          'readers receive the same objects',
        ).toBe(true);
      await eventually(() => expect(subscriptions.running).toBe(0));
      abort.abort();
    });

    it('lets readers that start at earlier positions join when they have caught up', async () => {
      const { store, subscriptions } = countSubscriptions(fixture.store);
      const shared = withSharedSubscription(store);
      const abort = new AbortController();
      const begins = [await headMark()];
      const written: EventToAppend[] = [];
      for (let index = 0; index < 3; index += 1) {
        const events = someEvents(700);
        await appendAll(events);
        written.push(...events);
        begins.push(await headMark());
      }
      const received: string[][] = begins.map(() => []);
      const reading = begins.map(async ({ position, id }, index) => {
        for await (const batch of shared.subscribeAll({ after: position, afterId: id, signal: abort.signal }))
          received[index]?.push(...batch.map((event) => event.id));
      });
      const lastWritten = written.at(-1)?.id ?? '';
      await eventually(() => expect(received[0]?.includes(lastWritten)).toBe(true));
      // Subscriptions of readers that have caught up end when the next event arrives.
      await eventually(async () => {
        await appendAll(someEvents(1));
        expect(subscriptions.running).toBe(1);
      });
      const event = anEvent();
      await appendAll([event]);
      await eventually(() => {
        for (const ids of received) expect(ids.includes(event.id)).toBe(true);
      });
      for (const ids of received) expect(new Set(ids).size).toBe(ids.length);
      expect(received[0]?.filter((id) => written.some((one) => one.id === id))).toEqual(written.map(({ id }) => id));
      abort.abort();
      await Promise.all(reading);
    });

    it('lets a reader that is too slow read on its own, without a gap, and join again', async () => {
      const { store, subscriptions } = countSubscriptions(fixture.store);
      const shared = withSharedSubscription(store, SMALL_BUFFER);
      const abort = new AbortController();
      const begin = await headMark();
      const options = { after: begin.position, afterId: begin.id, signal: abort.signal };
      const slow = filterOwn(shared.subscribeAll(options))[Symbol.asyncIterator]();
      const events = someEvents(3_000);
      await appendAll(events.slice(0, 1));
      const delivered = [...((await slow.next()).value as RecordedEvent[])];
      const fast = takeEventsThrough(filterOwn(shared.subscribeAll(options)), events.at(-1)?.id ?? '');
      await appendAll(events.slice(1));
      expectWholeHistory(await fast, [events]);
      while (delivered.length < events.length) delivered.push(...((await slow.next()).value as RecordedEvent[]));
      expectWholeHistory(delivered, [events]);
      abort.abort();
      await slow.next();
      await eventually(() => expect(subscriptions.running).toBe(0));
    });

    it('delivers only the requested types of the shared events', async () => {
      const shared = withSharedSubscription(fixture.store);
      const abort = new AbortController();
      const begin = await headMark();
      const wanted = anEvent({ type: 'Wanted' });
      const last = anEvent({ type: 'Wanted' });
      const read = (types?: readonly string[]) =>
        takeEventsThrough(
          filterOwn(
            shared.subscribeAll({
              after: begin.position,
              afterId: begin.id,
              ...(types && { types }),
              signal: abort.signal,
            }),
          ),
          last.id,
        );
      const [some, all] = [read(['Wanted']), read()];
      await appendAll([...someEvents(5), wanted, ...someEvents(5), last]);
      expect((await some).map(({ id }) => id)).toEqual([wanted.id, last.id]);
      expect(await all).toHaveLength(12);
      abort.abort();
    });

    if (isExclusive) {
      it('reports a log that was replaced by an older state only to the readers of lost events', async () => {
        const fresh = await open();
        try {
          if (!fresh.rewindTo) return;
          const shared = withSharedSubscription(fresh.store);
          const signal = new AbortController().signal;
          const append = (events: readonly EventToAppend[]) =>
            fresh.store.append(uniqueName('stream'), events, { expectedRevision: 'any' });
          const behind = shared.subscribeAll({ after: START_POSITION, signal })[Symbol.asyncIterator]();
          const [remaining, lost, added] = [someEvents(2), someEvents(3), someEvents(4)];
          const { position } = await append(remaining);
          const received = [...((await behind.next()).value as RecordedEvent[])];
          const ahead = (async () => {
            let count = 0;
            for await (const batch of shared.subscribeAll({ after: START_POSITION, signal })) {
              count += batch.length;
              if (count === remaining.length) await append(lost);
              if (count === remaining.length + lost.length) await fresh.rewindTo?.(position);
            }
          })();
          await expect(ahead).rejects.toThrow(LogRewound);
          const next = behind.next();
          await append(added);
          received.push(...((await next).value as RecordedEvent[]));
          while (received.length < remaining.length + added.length)
            received.push(...((await behind.next()).value as RecordedEvent[]));
          expectWholeHistory(received, [remaining, added]);
          await behind.return?.();
        } finally {
          await fresh.close();
        }
      });
    }
  });
}
