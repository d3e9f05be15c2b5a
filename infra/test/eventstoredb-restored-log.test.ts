import {
  EventStoreUnavailable,
  LogRewound,
  START_POSITION,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CONNECTION_LOST,
  INSIDE_RECORD,
  NO_LEADER,
  notLeader,
  startEventStoreServer,
  TOO_SLOW,
  type CallError,
  type EventStoreServer,
} from '../../tests/support/event-store-server/server.ts';
import { takeEvents } from '../../tests/support/event-histories.ts';
import { anEvent, someEvents, uniqueName } from '../../tests/support/events.ts';
import { openEventStoreDb } from '../src/adapters/eventstoredb/event-store.ts';
import { createLogger } from '../src/service/logger.ts';

// These tests check on the gRPC server of the tests how the adapter handles errors that were observed on EventStoreDB:
// after the restore of an older backup, after a change of the leader, and of subscriptions.

const log = createLogger('silent');
const stores: EventStore[] = [];
const servers: EventStoreServer[] = [];
let server: EventStoreServer;
let store: EventStore;
beforeEach(async () => {
  server = await startServer();
  store = await open(server.url);
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((opened) => opened.close()));
  for (const started of servers.splice(0)) started.close();
});

async function startServer(options: Parameters<typeof startEventStoreServer>[0] = {}): Promise<EventStoreServer> {
  const started = await startEventStoreServer(options);
  servers.push(started);
  return started;
}
async function open(url: string): Promise<EventStore> {
  const opened = await openEventStoreDb(url, { log, confirmAfter_ms: 20, stallCheck_ms: 100 });
  stores.push(opened);
  return opened;
}

const append = (text = '') =>
  store.append(uniqueName('listing'), [anEvent({ data: { text } })], { expectedRevision: 'no-stream' });
const commitOf = (position: Position) => Number(position.split('/')[0]);
const subscribe = (after: Position, afterId: string | null = null) =>
  store.subscribeAll({ after, afterId, signal: new AbortController().signal });
const firstOf = (after: Position, afterId: string | null = null) => takeEvents(subscribe(after, afterId), 1);

describe('a log that was restored, so that a stored position is inside another record', () => {
  let before: RecordedEvent;
  let lost: RecordedEvent;
  beforeEach(async () => {
    await append();
    await append('an event that is lost');
    await append('another event that is lost');
    const events = (await store.readAll({ after: START_POSITION })) as [RecordedEvent, RecordedEvent, RecordedEvent];
    [before, , lost] = events;
    await server.restore(commitOf(events[1].position));
    // The record of the new event is longer, so it contains the position of the lost event.
    await append('x'.repeat(5_000));
    await append();
    expect(server.log.isInsideRecord(commitOf(lost.position))).toBe(true);
  });

  it('has no event at this position, although the server reports an error for it', async () => {
    expect(await store.findEventId(lost.position, lost.id)).toBeNull();
    expect(await store.findEventId(lost.position, null)).toBeNull();
    expect(await store.findEventId(before.position, before.id)).toBe(before.id);
  });

  it.each<[string, CallError]>([
    ['INVALID_ARGUMENT', { code: 3, details: 'whatever a later version says' }],
    ['UNKNOWN', { code: 2, details: 'another text' }],
    ['OUT_OF_RANGE', { code: 11, details: 'position' }],
  ])('is recognized by a second read, whatever the error is: %s', async (_, error) => {
    server.behavior.onRead = (options) =>
      Number(options?.getAll()?.getPosition()?.getCommitPosition()) === commitOf(lost.position) ? error : null;
    expect(await store.findEventId(lost.position, lost.id)).toBeNull();
    await expect(firstOf(lost.position, lost.id)).rejects.toThrow(LogRewound);
    await expect(store.readAll({ after: lost.position })).rejects.toThrow(LogRewound);
  });

  it('is recognized although the error is also that of a broken connection', async () => {
    const error: CallError = { code: 13, details: 'INTERNAL' };
    server.behavior.onRead = (options) =>
      Number(options?.getAll()?.getPosition()?.getCommitPosition()) === commitOf(lost.position) ? error : null;
    expect(await store.findEventId(lost.position, lost.id)).toBeNull();
    await expect(firstOf(lost.position, lost.id)).rejects.toThrow(LogRewound);
  });

  it('ends subscriptions and reads from this position with LogRewound', async () => {
    await expect(firstOf(lost.position, lost.id)).rejects.toThrow(LogRewound);
    await expect(firstOf(lost.position)).rejects.toThrow(LogRewound);
    await expect(store.readAll({ after: lost.position })).rejects.toThrow(LogRewound);
    await expect(store.readAll({ after: lost.position, types: ['SomethingHappened'] })).rejects.toThrow(LogRewound);
    expect(await store.readAll({ after: before.position })).toHaveLength(2);
  });

  it('ends a running subscription that had read the lost events', async () => {
    const opened = await startServer();
    const running = await open(opened.url);
    const events = someEvents(3);
    for (const event of events) await running.append(uniqueName('listing'), [event], { expectedRevision: 'no-stream' });
    const received: string[] = [];
    const read = async () => {
      for await (const batch of running.subscribeAll({ after: START_POSITION, signal: new AbortController().signal }))
        received.push(...batch.map(({ id }) => id));
    };
    const ended = read().then(
      () => null,
      (error: unknown) => error,
    );
    await expect.poll(() => received.length).toBe(3);
    await opened.restore(opened.log.from(0)[1]?.commit ?? 0);
    await running.append(uniqueName('listing'), [anEvent({ data: 'x'.repeat(5_000) })], {
      expectedRevision: 'no-stream',
    });
    expect(await ended).toBeInstanceOf(LogRewound);
  });
});

describe('an error of a read at a stored position', () => {
  const failFrom = (error: CallError, count = Infinity) => {
    let left = count;
    server.behavior.onRead = (options) => {
      const isForwards = options?.hasAll() === true && Number(options.getReadDirection()) === 0;
      if (!isForwards || left === 0) return null;
      left -= 1;
      return error;
    };
  };

  it('is no loss if the same read fails at the end of the log, too', async () => {
    const { position } = await append();
    await append();
    failFrom(INSIDE_RECORD);
    await expect(store.findEventId(position, null)).rejects.toThrow('Unexpected ReadAllResult');
    await expect(store.readAll({ after: position })).rejects.toThrow('Unexpected ReadAllResult');
  });

  it('is no loss if the second read succeeds', async () => {
    const { position } = await append();
    await append();
    const [first] = await store.readAll({ after: START_POSITION, limit: 1 });
    failFrom(INSIDE_RECORD, 1);
    expect(await store.findEventId(position, first?.id ?? null)).toBe(first?.id);
  });

  it('ends a subscription with the error if it does not end, so that an operator can see it', async () => {
    const { position } = await append();
    server.behavior.onRead = (options) => (options?.hasSubscription() ? INSIDE_RECORD : null);
    await expect(firstOf(position)).rejects.toThrow('Unexpected ReadAllResult');
    expect(server.counts.subscriptions).toBeGreaterThan(5);
  });
});

describe('a subscription', () => {
  it.each([
    ['as too slow', TOO_SLOW],
    ['as an outage', CONNECTION_LOST],
  ])('that the server always ends %s, although reads return a further event, fails', async (_, error) => {
    const { position } = await append();
    await append();
    server.behavior.onRead = (options) => (options?.hasSubscription() ? error : null);
    await expect(firstOf(position)).rejects.toThrow();
    // There is a wait between two attempts, so their number is small.
    expect(server.counts.subscriptions).toBeLessThan(20);
  });

  it('that the server always ends waits if no further event can be read', async () => {
    const { position } = await append();
    server.behavior.onRead = (options) => (options?.hasSubscription() ? CONNECTION_LOST : null);
    const received = firstOf(position);
    await expect.poll(() => server.counts.subscriptions).toBeGreaterThan(10);
    server.behavior.onRead = () => null;
    await append();
    expect(await received).toHaveLength(1);
  });

  it('that the server ends as too slow resumes after its last event', async () => {
    const received: string[] = [];
    const events = someEvents(6);
    const reading = (async () => {
      for await (const batch of subscribe(START_POSITION)) {
        received.push(...batch.map(({ id }) => id));
        if (received.length === events.length) return;
      }
    })();
    for (const [index, event] of events.entries()) {
      await store.append(uniqueName('listing'), [event], { expectedRevision: 'no-stream' });
      await expect.poll(() => received.length).toBe(index + 1);
      server.endSubscriptions(TOO_SLOW);
    }
    await reading;
    expect(received).toEqual(events.map(({ id }) => id));
  });

  it('that stays open and silent begins again on a node that delivers', async () => {
    const { position } = await append();
    server.behavior.isSilent = true;
    const received = firstOf(position);
    await expect.poll(() => server.counts.subscriptions).toBe(1);
    const next = anEvent();
    await store.append(uniqueName('listing'), [next], { expectedRevision: 'no-stream' });
    await expect.poll(() => server.counts.reads, { timeout: 20_000 }).toBeGreaterThan(4);
    server.behavior.isSilent = false;
    expect((await received)[0]?.id).toBe(next.id);
    expect(server.counts.subscriptions).toBeGreaterThan(1);
  });

  it('continues after connections broke, and after an error of unknown type', async () => {
    const { position } = await append();
    const received = takeEvents(subscribe(position), 3);
    for (const breakIt of [
      () => server.restart(),
      () => Promise.resolve(server.endSubscriptions({ code: 2, details: 'Exception was thrown by handler.' })),
      () => Promise.resolve(server.endSubscriptions(CONNECTION_LOST)),
    ]) {
      await expect.poll(() => server.subscriptions.size).toBeGreaterThan(0);
      await breakIt();
      await append();
    }
    expect(await received).toHaveLength(3);
  });
});

describe('a change of the leader', () => {
  it('with the address of the new leader leads reads and appends there', async () => {
    const next = await startServer({ log: server.log });
    const { position } = await append();
    server.behavior.leaderError = notLeader(next.port);
    await append();
    expect(await store.readAll({ after: position })).toHaveLength(1);
    expect(next.counts.appends).toBeGreaterThan(0);
  });

  it('without an address is retried until there is a leader again', async () => {
    await append();
    server.behavior.leaderError = NO_LEADER;
    const appended = append();
    const head = store.readHead();
    await expect.poll(() => server.counts.appends).toBeGreaterThan(1);
    server.behavior.leaderError = null;
    expect(await appended).toMatchObject({ revision: 0 });
    expect(commitOf(await head)).toBeGreaterThan(0);
  });

  it('without an end makes appends and reads fail as an outage', async () => {
    await append();
    server.behavior.leaderError = NO_LEADER;
    await expect(append()).rejects.toThrow(EventStoreUnavailable);
    await expect(store.readHead()).rejects.toThrow(EventStoreUnavailable);
  });
});
