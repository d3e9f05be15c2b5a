import { START_POSITION, toStreamId, type EventStore, type EventToAppend, type StreamId } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventStoreServer, type EventStoreServer } from '../../tests/support/event-store-server/server.ts';
import { takeEvents } from '../../tests/support/event-histories.ts';
import { anEvent, someEvents, uniqueName } from '../../tests/support/events.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { openEventStoreDb } from '../src/adapters/eventstoredb/event-store.ts';
import { createForeignEventCounts } from '../src/service/foreign-event-counts.ts';
import { createLogger } from '../src/service/logger.ts';

// These tests check on the gRPC server of the tests that events of other applications have no effect (decision 0113).

const log = createLogger('silent');
let server: EventStoreServer;
const stores: EventStore[] = [];
beforeEach(async () => {
  server = await startEventStoreServer();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  server.close();
});

async function open(streamPrefix = '', onForeignEvent: (type: string) => void = () => undefined) {
  const store = await openEventStoreDb(server.url, { log, streamPrefix, onForeignEvent });
  stores.push(store);
  return store;
}
const append = (store: EventStore, stream: StreamId, ...events: EventToAppend[]) =>
  store.append(stream, events, { expectedRevision: 'any' });
const envelopeOf = ({ version, meta }: EventToAppend) => Buffer.from(JSON.stringify({ version, meta }));

/** Writes one event of each kind that another application may write. */
function writeForeignEvents(): void {
  const { id, type } = anEvent({ type: 'AdPosted' });
  server.writeForeign({ stream: 'order-1', type: 'OrderPlaced' });
  server.writeForeign({ stream: 'ad-foreign', type, id });
  server.writeForeign({ stream: 'order-1', type: 'Scanned', isJson: false, data: Buffer.from([0, 255]) });
  server.writeForeign({ stream: 'order-1', type: 'OrderPaid', metadata: Buffer.from('not JSON') });
  server.writeForeign({ stream: 'order-1', type: 'OrderSent', metadata: Buffer.from('{"$correlationId":"x"}') });
  server.writeForeign({ stream: 'links', type: '$>', isJson: false, data: Buffer.from('0@order-1') });
  server.writeForeign({ stream: '$stats-1', type: '$statsCollected' });
}

describe('events of other applications', () => {
  it('are skipped by every read, and are not the end of the log', async () => {
    const counts = createForeignEventCounts();
    const store = await open('', counts.count);
    writeForeignEvents();
    expect(await store.readHead()).toBe(START_POSITION);
    expect(await store.readAll({ after: START_POSITION })).toEqual([]);
    const stream = uniqueName('listing');
    const [first, second] = [anEvent({ type: 'AdPosted' }), anEvent({ type: 'AdPosted' })];
    const { position } = await append(store, stream, first);
    writeForeignEvents();
    expect(await store.readHead()).toBe(position);
    expect((await store.readAll({ after: START_POSITION })).map(({ id }) => id)).toEqual([first.id]);
    await append(store, stream, second);
    const ids = [first.id, second.id];
    expect((await store.readAll({ after: START_POSITION, types: ['AdPosted'] })).map(({ id }) => id)).toEqual(ids);
    const signal = new AbortController().signal;
    for (const types of [undefined, ['AdPosted', 'OrderPlaced']]) {
      const options = { after: START_POSITION, signal, ...(types && { types }) };
      expect((await takeEvents(store.subscribeAll(options), 2)).map(({ id }) => id)).toEqual(ids);
    }
    expect(await store.readStream(toStreamId({ name: 'order' }, '1'))).toEqual([]);
    // Both subscriptions have received these events, and each one counts once.
    expect(counts.read()).toEqual({ OrderPlaced: 2, AdPosted: 2, Scanned: 2, OrderPaid: 2, OrderSent: 2 });
  });

  it('in a page do not make it shorter', async () => {
    const store = await open();
    const events = Array.from({ length: 40 }, () => anEvent({ type: 'AdPosted' }));
    const stream = uniqueName('listing');
    for (const event of events) {
      for (let count = 0; count < 10; count += 1) server.writeForeign({ stream: 'order-1', type: 'AdPosted' });
      await append(store, stream, event);
    }
    const ids = events.map(({ id }) => id);
    for (const types of [undefined, ['AdPosted']]) {
      const page = await store.readAll({ after: START_POSITION, limit: 30, ...(types && { types }) });
      expect(page.map(({ id }) => id)).toEqual(ids.slice(0, 30));
      const next = await store.readAll({ after: page.at(-1)?.position ?? START_POSITION, ...(types && { types }) });
      expect(next.map(({ id }) => id)).toEqual(ids.slice(30));
    }
  });

  it('in a stream of ours neither appear in it nor conflict with an append', async () => {
    const [store, another] = [await open(), await open()];
    const stream = uniqueName('listing');
    const [first, ...others] = someEvents(4) as [EventToAppend, ...EventToAppend[]];
    server.writeForeign({ stream, type: 'Noted' });
    expect((await store.append(stream, [first], { expectedRevision: 'no-stream' })).revision).toBe(1);
    let revision = 1;
    for (const [index, event] of others.entries()) {
      for (let count = 0; count <= index * 10; count += 1) server.writeForeign({ stream, type: 'Noted' });
      const view = index % 2 === 0 ? store : another;
      const appended = await view.append(stream, [event], { expectedRevision: revision });
      expect(appended.revision).toBe(revision + index * 10 + 2);
      revision = appended.revision;
      // The same append again has the same result.
      expect(await another.append(stream, [event], { expectedRevision: revision })).toEqual(appended);
    }
    const ids = [first, ...others].map(({ id }) => id);
    expect((await another.readStream(stream)).map(({ id }) => id)).toEqual(ids);
    expect((await store.readStream(stream, { limit: 3 })).map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect((await store.readStream(stream, { direction: 'backwards', limit: 2 })).map(({ id }) => id)).toEqual(
      ids.slice(-2).toReversed(),
    );
    // An event of ours is still a conflict, and the conflict names its revision.
    server.writeForeign({ stream, type: 'Noted' });
    await expect(store.append(stream, someEvents(1), { expectedRevision: 1 })).rejects.toMatchObject({
      name: 'ConcurrencyConflict',
      actual: revision,
    });
  });

  it('with our envelope are ours, although this build does not know their type', async () => {
    const store = await open();
    const event = anEvent({ type: 'SentByANewerBuild' });
    server.writeForeign({ stream: 'listing-1', type: event.type, id: event.id, metadata: envelopeOf(event) });
    expect((await store.readAll({ after: START_POSITION })).map(({ id }) => id)).toEqual([event.id]);
  });

  it('of more than 100 types are counted together, so that the number of values is limited', () => {
    const counts = createForeignEventCounts();
    for (let type = 0; type < 150; type += 1) counts.count(`Type${type}`);
    counts.count('Type3');
    expect(Object.keys(counts.read())).toHaveLength(101);
    expect(counts.read()).toMatchObject({ Type3: 2, 'other types': 50 });
  });
});

describe('a position at an event of another application, which an earlier build has stored', () => {
  it.each([
    ['without a prefix', ''],
    ['with a prefix', 'shop-'],
  ])('is not lost, %s', async (_, prefix) => {
    const store = await open(prefix);
    await append(store, uniqueName('listing'), anEvent());
    const foreign = server.writeForeign({ stream: 'order-1', type: 'OrderPlaced' });
    const position = toPosition({ commit: BigInt(foreign.commit), prepare: BigInt(foreign.commit) });
    // It is after the last event of ours.
    expect(await store.findEventId(position, foreign.id)).toBe(foreign.id);
    expect(await store.findEventId(position, null)).toBe(foreign.id);
    const next = anEvent();
    await append(store, uniqueName('listing'), next);
    expect(await store.findEventId(position, foreign.id)).toBe(foreign.id);
    const signal = new AbortController().signal;
    const received = await takeEvents(store.subscribeAll({ after: position, afterId: foreign.id, signal }), 1);
    expect(received.map(({ id }) => id)).toEqual([next.id]);
    expect((await store.readAll({ after: position })).map(({ id }) => id)).toEqual([next.id]);
  });
});

describe('two installations on one server', () => {
  it('see only their own events, and may use the same names of streams', async () => {
    const [one, other] = [await open('one-'), await open('other-')];
    const stream = uniqueName('listing');
    const [first, second] = [anEvent(), anEvent()];
    await one.append(stream, [first], { expectedRevision: 'no-stream' });
    const { position } = await one.append(stream, [anEvent()], { expectedRevision: 0 });
    await other.append(stream, [second], { expectedRevision: 'no-stream' });
    expect(await one.readHead()).toBe(position);
    expect((await other.readStream(stream)).map(({ id }) => id)).toEqual([second.id]);
    expect((await other.readAll({ after: START_POSITION })).map(({ id, stream: name }) => [id, name])).toEqual([
      [second.id, stream],
    ]);
    expect(await other.readAll({ after: START_POSITION, types: [first.type] })).toHaveLength(1);
    const signal = new AbortController().signal;
    expect(await takeEvents(one.subscribeAll({ after: START_POSITION, signal }), 2)).toHaveLength(2);
    expect(server.log.ofStream(`one-${stream}`)).toHaveLength(2);
  });

  it.each([
    ['', 'shop-'],
    ['shop', 'shop-2'],
  ])('may have prefixes of which one is the beginning of the other: "%s" and "%s"', async (shorter, longer) => {
    const [one, other] = [await open(shorter), await open(longer)];
    const stream = uniqueName('listing');
    const [event, otherEvent] = [anEvent(), anEvent()];
    const { position } = await one.append(stream, [event], { expectedRevision: 'no-stream' });
    const appended = await other.append(stream, [otherEvent], { expectedRevision: 'no-stream' });
    expect(await one.readHead()).toBe(position);
    expect(await other.readHead()).toBe(appended.position);
    for (const [store, own] of [
      [one, event],
      [other, otherEvent],
    ] as const) {
      expect((await store.readAll({ after: START_POSITION })).map(({ id }) => id)).toEqual([own.id]);
      expect(await store.readAll({ after: START_POSITION, types: [event.type] })).toHaveLength(1);
      expect((await store.readStream(stream)).map(({ id }) => id)).toEqual([own.id]);
    }
    await append(one, stream, anEvent());
    const signal = new AbortController().signal;
    const received = await takeEvents(one.subscribeAll({ after: START_POSITION, signal }), 2);
    expect(received.map(({ id }) => id)).not.toContain(otherEvent.id);
  });

  it('find their last event before thousands of events of the other one', async () => {
    const [quiet, busy] = [await open('quiet-'), await open('busy-')];
    const { position } = await append(quiet, uniqueName('listing'), anEvent());
    for (let count = 0; count < 6; count += 1) await append(busy, uniqueName('listing'), ...someEvents(400));
    expect(await quiet.readHead()).toBe(position);
    expect(await (await open('quiet-')).readHead()).toBe(position);
    const next = await append(quiet, uniqueName('listing'), anEvent());
    expect(await quiet.readHead()).toBe(next.position);
  });
});
