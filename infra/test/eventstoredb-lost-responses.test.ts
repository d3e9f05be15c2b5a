import { favorites, toStreamId, type EventStore, type EventToAppend, type StreamId } from '@alpenglow/domain';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CONNECTION_LOST,
  startEventStoreServer,
  type EventStoreServer,
} from '../../tests/support/event-store-server/server.ts';
import { anEvent } from '../../tests/support/events.ts';
import { openEventStoreDb } from '../src/adapters/eventstoredb/event-store.ts';
import { createCommandHandler, type CommandOrigin } from '../src/service/command-handler.ts';
import { createLogger } from '../src/service/logger.ts';

// These tests check on the gRPC server of the tests what happens to an append whose response is lost, and to the
// requests next to it and after it.

const log = createLogger('silent');
const closers: (() => Promise<unknown> | void)[] = [];
let server: EventStoreServer;
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function startServer(): Promise<EventStoreServer> {
  const started = await startEventStoreServer();
  closers.push(() => started.close());
  return started;
}

async function open({ url }: EventStoreServer): Promise<EventStore> {
  const store = await openEventStoreDb(url, { log });
  closers.push(() => store.close());
  return store;
}

const newStream = () => `s-${crypto.randomUUID()}` as StreamId;
const append = (store: EventStore, event: EventToAppend = anEvent()) =>
  store.append(newStream(), [event], { expectedRevision: 'no-stream' });

describe('the batch call of the client', () => {
  /** The events of a process before an exception that no code has caught ends it. */
  const ENDING = ['uncaughtException', 'unhandledRejection'] as const;

  /** Runs `work`, and returns the exceptions that no code has caught. `work` receives the list while it grows. */
  async function collectUncaught(work: (caught: readonly unknown[]) => Promise<unknown>): Promise<readonly unknown[]> {
    const caught: unknown[] = [];
    const listeners = ENDING.map((name) => [name, process.listeners(name as 'uncaughtException')] as const);
    for (const name of ENDING) process.removeAllListeners(name).on(name, (error) => caught.push(error));
    try {
      await work(caught);
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      for (const [name, earlier] of listeners) {
        process.removeAllListeners(name);
        for (const listener of earlier) process.on(name, listener);
      }
    }
    return caught;
  }

  it('fails for all servers when one connection breaks, and a later response is an uncaught exception', async () => {
    const other = await startServer();
    const clients = [server, other].map(({ url }) => EventStoreDBClient.connectionString(url));
    const send = (index: number) =>
      clients[index]?.appendToStream(newStream(), jsonEvent({ type: 'AdPosted', data: {} }), {
        expectedRevision: 'no_stream',
      });
    const uncaught = await collectUncaught(async (caught) => {
      await Promise.all([send(0), send(1)]);
      other.behavior.onAppend = () => 'hold';
      const waiting = Promise.allSettled([send(1)]);
      await expect.poll(() => other.heldCount()).toBe(1);
      server.endBatchCalls(CONNECTION_LOST);
      // This append was sent on the other connection, which did not break.
      expect((await waiting)[0]?.status).toBe('rejected');
      other.release();
      await expect.poll(() => caught.length).toBeGreaterThan(0);
    });
    expect(uncaught.map(String)).toEqual([expect.stringContaining('undefined is not iterable')]);
    expect(server.counts.batched + other.counts.batched).toBe(3);
    await Promise.all(clients.map((client) => client.dispose()));
  });

  it('is not used by the adapter, whose appends wait for their own connection only', async () => {
    const other = await startServer();
    const [store, otherStore] = [await open(server), await open(other)];
    const uncaught = await collectUncaught(async () => {
      for (const [one, { counts }] of [
        [store, server],
        [otherStore, other],
      ] as const)
        await expect
          .poll(async () => {
            await append(one);
            return counts.batched;
          })
          .toBeGreaterThan(0);
      other.behavior.onAppend = () => 'hold';
      const waiting = append(otherStore);
      await expect.poll(() => other.heldCount()).toBe(1);
      server.endBatchCalls(CONNECTION_LOST);
      await append(store);
      other.release();
      expect(await waiting).toMatchObject({ revision: 0 });
    });
    expect(uncaught).toEqual([]);
  });

  it('is not used for an append that is sent separately', async () => {
    const store = await open(server);
    server.behavior.onAppend = ({ isBatched }) => (isBatched ? CONNECTION_LOST : 'respond');
    for (let count = 0; count < 20; count += 1) expect(await append(store)).toMatchObject({ revision: 0 });
    expect(server.counts.appends).toBe(20);
  });
});

describe('an edit after one whose response was lost', () => {
  const stream = toStreamId(favorites, 'anna');
  const origin: CommandOrigin = { actor: { kind: 'account', accountId: 'anna' }, correlationId: 'test' };
  const favorite =
    (adId: string) => (): readonly [{ type: 'AdFavorited'; data: { accountId: string; adId: string } }] => [
      { type: 'AdFavorited', data: { accountId: 'anna', adId } },
    ];

  /** Writes an event that the server counts for the revision of its stream, but that no read returns yet. */
  function writeUnreplicated(adId: string): void {
    const { id, version, meta } = anEvent();
    server.log.append(stream, 0, [
      {
        id,
        type: 'AdFavorited',
        isJson: true,
        data: Buffer.from(JSON.stringify({ accountId: 'anna', adId })),
        metadata: Buffer.from(JSON.stringify({ version, meta: { ...meta, actor: origin.actor } })),
      },
    ]);
    server.log.hideLast(1);
  }

  it('is decided again when the earlier event becomes readable', async () => {
    const store = await open(server);
    const commands = createCommandHandler(store);
    await commands.handle(favorites, 'anna', favorite('first'), origin);
    writeUnreplicated('lost response');
    const edit = commands.handle(favorites, 'anna', favorite('next'), origin);
    await expect.poll(() => server.counts.appends).toBeGreaterThan(2);
    server.log.hideLast(0);
    expect(await edit).toMatchObject({ revision: 2, state: { adIds: ['first', 'lost response', 'next'] } });
  });

  it('is written when the leader has lost the earlier event', async () => {
    const store = await open(server);
    const commands = createCommandHandler(store);
    await commands.handle(favorites, 'anna', favorite('first'), origin);
    const end = server.log.end();
    writeUnreplicated('lost response');
    const edit = commands.handle(favorites, 'anna', favorite('next'), origin);
    await expect.poll(() => server.counts.appends).toBeGreaterThan(2);
    server.log.hideLast(0);
    await server.restore(end);
    expect(await edit).toMatchObject({ revision: 1, state: { adIds: ['first', 'next'] } });
  });

  it('that expects any revision waits in the same way', async () => {
    const store = await open(server);
    await store.append(stream, [anEvent()], { expectedRevision: 'no-stream' });
    writeUnreplicated('lost response');
    const appended = store.append(stream, [anEvent()], { expectedRevision: 'any' });
    await expect.poll(() => server.counts.appends).toBeGreaterThan(2);
    server.log.hideLast(0);
    expect(await appended).toMatchObject({ revision: 2 });
  });

  it('does not hold up appends to other streams while it waits', async () => {
    const store = await open(server);
    const streams = Array.from({ length: 70 }, newStream);
    for (const one of streams) await store.append(one, [anEvent()], { expectedRevision: 'no-stream' });
    for (const one of streams) server.writeForeign({ stream: one, type: 'Noted' });
    server.log.hideLast(streams.length);
    const before = server.counts.appends;
    const waiting = streams.map((one) => store.append(one, [anEvent()], { expectedRevision: 0 }));
    await expect.poll(() => server.counts.appends).toBeGreaterThan(before + 60);
    expect(await append(store)).toMatchObject({ revision: 0 });
    server.log.hideLast(0);
    for (const one of await Promise.all(waiting)) expect(one.revision).toBe(2);
  });
});
