import {
  InvalidAppend,
  START_POSITION,
  comparePositions,
  type EventStore,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createLogger, withSharedSubscription } from '@alpenglow/infra';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { toClientAddress } from '../../infra/src/adapters/eventstoredb/address.ts';
import { openEventStoreDb } from '../../infra/src/adapters/eventstoredb/event-store.ts';
import { eventStoreUrl } from '../support/event-store-url.ts';
import { takeEvents } from '../support/event-histories.ts';
import { uniqueName } from '../support/events.ts';
import { createCorrelatedEvents } from '../support/correlated-events.ts';
import { openTcpLink } from '../support/tcp-link.ts';
import { describeEventStoreOutages } from './event-store-outages.ts';
import { describeEventStore } from './event-store.ts';
import { describeSharedSubscription } from './shared-subscription.ts';

const url = eventStoreUrl;
const log = createLogger('silent');

if (url === undefined) {
  test.skip('EventStoreDB: not run, no server; run npm run test:contract -- --event-store esdb://…', () => undefined);
} else {
  const openFixture = async (share = (store: EventStore) => store) => {
    const stores: EventStore[] = [];
    const openAnother = async () => {
      const store = share(await openEventStoreDb(url, { log }));
      stores.push(store);
      return store;
    };
    return {
      store: await openAnother(),
      openAnother,
      close: () => Promise.all(stores.map((store) => store.close())).then(() => undefined),
    };
  };

  describeEventStore('EventStoreDB', openFixture, { isExclusive: false, detectsIdsOfAllStreams: false });
  describeEventStore('EventStoreDB, shared', () => openFixture(withSharedSubscription), {
    isExclusive: false,
    detectsIdsOfAllStreams: false,
  });
  describeSharedSubscription('EventStoreDB', openFixture, { isExclusive: false });

  const node = /^(?<scheme>esdb:\/\/(?:[^@/]*@)?)(?<host>[^:,/?@]+)(?::(?<port>\d+))?(?<options>\?.*)?$/u.exec(
    toClientAddress(url).connectionString,
  )?.groups;
  const isPlain = /[?&]tls=false(?:&|$)/u.test(node?.['options'] ?? '');
  if (node && (isPlain || ['127.0.0.1', 'localhost'].includes(node['host'] ?? ''))) {
    describeEventStoreOutages('EventStoreDB', async () => {
      const link = await openTcpLink(Number(node['port'] ?? 2113), node['host']);
      const store = await openEventStoreDb(`${node['scheme']}127.0.0.1:${link.port}${node['options'] ?? ''}`, { log });
      const direct = await openEventStoreDb(url, { log });
      return {
        store,
        direct,
        cut: () => link.cut(),
        restore: () => link.reopen(),
        async close() {
          await Promise.all([store.close(), direct.close()]);
          await link.close();
        },
      };
    });
  } else {
    test.skip('EventStoreDB, broken connections: not run, the link needs one node, without TLS or local', () =>
      undefined);
  }

  describe('event store: EventStoreDB only', () => {
    const { anEvent, someEvents, isMine, filterOwn } = createCorrelatedEvents();
    /** A client that connects without the adapter of the product, like an administrator or another application. */
    let client: EventStoreDBClient;
    let store: EventStore;
    beforeAll(async () => {
      client = EventStoreDBClient.connectionString(toClientAddress(url).connectionString);
      store = await openEventStoreDb(url, { log });
    });
    afterAll(() => Promise.all([store.close(), client.dispose()]));

    it('returns the same commit and prepare position from every read', async () => {
      const stream = uniqueName('stream');
      const start = await store.readHead();
      const { position } = await store.append(stream, someEvents(3), { expectedRevision: 'no-stream' });
      expect(position).toMatch(/^\d{20}\/\d{20}$/u);
      const inStream = await store.readStream(stream);
      const inLog = (await store.readAll({ after: start })).filter(isMine);
      const live = await takeEvents(
        filterOwn(store.subscribeAll({ after: start, signal: new AbortController().signal })),
        3,
      );
      expect(inLog).toEqual(inStream);
      expect(live).toEqual(inStream);
      expect(inStream.at(-1)?.position).toBe(position);
    });

    it("skips the server's internal events, also when it reports the head", async () => {
      const stream = uniqueName('stream');
      const start = await store.readHead();
      const abort = new AbortController();
      const delivered = takeEvents(filterOwn(store.subscribeAll({ after: start, signal: abort.signal })), 2);
      const { position } = await store.append(stream, someEvents(1), { expectedRevision: 'no-stream' });
      for (let index = 0; index < 40; index += 1)
        await client.setStreamMetadata(uniqueName('stream'), { customProperty: index } as never);
      for (const view of [store, await openEventStoreDb(url, { log })]) {
        const after = (await view.readAll({ after: start })).map(({ type }) => type);
        expect(after.filter((type) => type.startsWith('$'))).toEqual([]);
        expect(comparePositions(await view.readHead(), position)).toBeGreaterThanOrEqual(0);
        expect((await view.readAll({ after: await view.readHead() })).filter(isMine)).toEqual([]);
        if (view !== store) await view.close();
      }
      await store.append(stream, someEvents(1), { expectedRevision: 0 });
      expect((await delivered).map(({ revision }) => revision)).toEqual([0, 1]);
      abort.abort();
    });

    it('requests exactly the given types from the server', async () => {
      const start = await store.readHead();
      const types = ['A.B', 'AxB', 'a|b', 'A', 'A.Bc', '(A)', 'two words'];
      await store.append(
        uniqueName('types'),
        types.map((type) => anEvent({ type })),
        { expectedRevision: 'no-stream' },
      );
      const requestedTypes = ['A.B', 'a|b', '(A)', 'two words'];
      const delivered = await takeEvents(
        filterOwn(store.subscribeAll({ after: start, types: requestedTypes, signal: new AbortController().signal })),
        requestedTypes.length,
      );
      expect(delivered.map(({ type }) => type)).toEqual(requestedTypes);
    });

    it('returns the first result for a repeated append, even if another client wrote the events', async () => {
      const stream = uniqueName('stream');
      const [first, second] = [anEvent(), anEvent()];
      const raw = [first, second].map(({ id, type, data, version, meta }) =>
        jsonEvent({ id, type, data: data as string, metadata: { version, meta } as never }),
      );
      await client.appendToStream(stream, raw, { expectedRevision: 'no_stream' });
      for (const expectedRevision of ['no-stream', 'any'] as const) {
        const { revision, position } = await store.append(stream, [first, second], { expectedRevision });
        expect(revision).toBe(1);
        expect((await store.readStream(stream, { from: 1 }))[0]?.position).toBe(position);
      }
      expect(await store.readStream(stream)).toHaveLength(2);
      expect((await store.readStream(stream)).map(({ position: _, ...event }) => event)).toEqual(
        [first, second].map((event, revision) => ({ ...event, stream, revision })),
      );
    });

    it('skips events of other applications', async () => {
      const [stream, id] = [uniqueName('foreign'), uuidv7()];
      const start = await store.readHead();
      await client.appendToStream(stream, [
        jsonEvent({ id, type: 'Foreign', data: ['unchanged'] }),
        {
          id: uuidv7(),
          type: 'Foreign',
          contentType: 'application/octet-stream',
          data: Uint8Array.of(0, 255),
          metadata: undefined,
        },
      ]);
      const { position } = await store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'no-stream' });
      await client.appendToStream(stream, [jsonEvent({ id: uuidv7(), type: 'Foreign', data: {} })]);
      const isOfTest = (event: RecordedEvent) => event.stream === stream || isMine(event);
      for (const options of [{ after: start }, { after: start, types: ['Foreign', 'SomethingHappened'] }])
        expect((await store.readAll(options)).filter(isOfTest)).toMatchObject([{ revision: 0, position }]);
      expect(await store.readStream(stream)).toEqual([]);
    });

    it('sees only the streams with its prefix', async () => {
      const [streamPrefix, stream] = [`${uniqueName('installation')}-`, uniqueName('stream')];
      const other = await openEventStoreDb(url, { log, streamPrefix });
      await store.append(stream, someEvents(1), { expectedRevision: 'no-stream' });
      const { position } = await other.append(stream, someEvents(2), { expectedRevision: 'no-stream' });
      await store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'no-stream' });
      expect(await other.readHead()).toBe(position);
      for (const options of [{}, { types: ['SomethingHappened'] }]) {
        const inLog = await other.readAll({ after: START_POSITION, ...options });
        expect(inLog.map((event) => [event.stream, event.revision])).toEqual([
          [stream, 0],
          [stream, 1],
        ]);
      }
      const signal = new AbortController().signal;
      expect(await takeEvents(other.subscribeAll({ after: START_POSITION, signal }), 2)).toHaveLength(2);
      await other.close();
    });

    it('reads a deleted stream as empty and rejects appends to a tombstoned stream', async () => {
      const [deleted, tombstoned] = [uniqueName('deleted'), uniqueName('tombstoned')];
      for (const stream of [deleted, tombstoned])
        await store.append(stream, someEvents(2), { expectedRevision: 'no-stream' });
      await client.deleteStream(deleted);
      await client.tombstoneStream(tombstoned);
      const fresh = await openEventStoreDb(url, { log });
      for (const stream of [deleted, tombstoned]) {
        expect(await fresh.readStream(stream)).toEqual([]);
        expect(await fresh.readStream(stream, { direction: 'backwards' })).toEqual([]);
      }
      expect((await fresh.append(deleted, someEvents(1), { expectedRevision: 'no-stream' })).revision).toBe(2);
      expect((await fresh.readStream(deleted)).map(({ revision }) => revision)).toEqual([2]);
      await expect(fresh.append(tombstoned, someEvents(1), { expectedRevision: 'no-stream' })).rejects.toThrow(
        InvalidAppend,
      );
      await fresh.close();
    });

    it('reads the whole log from the start without internal events', async () => {
      await store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'no-stream' });
      const [first] = await store.readAll({ after: START_POSITION, limit: 1 });
      expect(first?.type.startsWith('$')).toBe(false);
    });
  });
}
