import { setTimeout as pause } from 'node:timers/promises';
import { ConcurrencyConflict, type EventStore, type EventToAppend, type StreamId } from '@alpenglow/domain';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkAppend, type CheckedAppend } from '../src/adapters/event-store-input.ts';
import { createBatchAppends, type BatchAppendOptions } from '../src/adapters/eventstoredb/batch-appends.ts';
import { connectEventStoreDb, openBatchCall } from '../src/adapters/eventstoredb/client.ts';
import { createOwnEvents } from '../src/adapters/eventstoredb/envelope.ts';
import { openEventStoreDb } from '../src/adapters/eventstoredb/event-store.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { createLogger } from '../src/service/logger.ts';
import type { AppendOutcome, ServerEvent } from '../../tests/support/event-store-server/log.ts';
import {
  nameOf,
  toAppend,
  toAppendResponse,
  toBatchedAppend,
  toBatchError,
  toBatchResponse,
  toReadResponse,
  toUnresolvedBatchResponse,
} from '../../tests/support/event-store-server/messages.ts';

// These tests send appends to a gRPC server whose responses to batch calls are written beforehand. Its single calls
// store appends by the rules of EventStoreDB that the adapter relies on. Other tests check the adapter with a real
// server (decision 0018).

const log = createLogger('silent');
const meta = {
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'system', name: 'test' },
  at: '2026-11-21T12:00:00.000Z',
} as const;
const newEvent = (): EventToAppend => ({
  id: crypto.randomUUID(),
  type: 'AdPosted',
  version: 3,
  data: { title: 'ä' },
  meta,
});
const newStream = () => `s-${crypto.randomUUID()}` as StreamId;
const at = (commit: number) => toPosition({ commit: BigInt(commit), prepare: BigInt(commit - 1) });

type BatchCall = grpc.ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) await close();
});

/**
 * Starts a server. `onBatch` is called for each append of a batch call. It sends the response, if any. By default,
 * the append is stored and confirmed.
 */
async function startServer() {
  const streams = new Map<string, ServerEvent[]>();
  let commits = 100;
  const counts = { calls: 0, batched: 0, alone: 0 };
  const calls = new Set<BatchCall>();
  const state = {
    streams,
    counts,
    calls,
    onOpen: (_call: BatchCall): void => undefined,
    onBatch: (request: BatchAppendReq, call: BatchCall): void => confirm(request, call, write(request)),
  };

  /** Stores an append, unless its stream is at another revision. */
  function store({ stream, required, events }: ReturnType<typeof toAppend>): AppendOutcome {
    const stored = streams.get(stream) ?? [];
    const first = required === 'any' ? stored.length : required + 1;
    const existing = stored.slice(first, first + events.length);
    const isRepeated = existing.length === events.length && existing.every(({ id }, index) => id === events[index]?.id);
    if (!isRepeated) {
      if (stored.length !== first) return { isWritten: false, current: stored.length - 1 };
      commits += 10;
      for (const [index, event] of events.entries())
        stored.push({ ...event, stream, revision: first + index, commit: commits, prepare: commits - 1 });
      streams.set(stream, stored);
    }
    return { isWritten: true, last: stored[first + events.length - 1] as ServerEvent };
  }

  const implementation: Partial<grpc.UntypedServiceImplementation> = {
    append(
      call: grpc.ServerReadableStream<AppendReq, AppendResp>,
      respond: (error: null, response: AppendResp) => void,
    ) {
      counts.alone += 1;
      const received: AppendReq[] = [];
      call.on('data', (request: AppendReq) => received.push(request));
      call.on('error', () => undefined);
      call.on('end', () => respond(null, toAppendResponse(store(toAppend(received)))));
    },
    batchAppend(call: BatchCall) {
      counts.calls += 1;
      calls.add(call);
      call.on('close', () => calls.delete(call));
      call.on('error', () => undefined);
      call.on('cancelled', () => calls.delete(call));
      call.on('end', () => call.end());
      call.on('data', (request: BatchAppendReq) => {
        counts.batched += 1;
        state.onBatch(request, call);
      });
      state.onOpen(call);
    },
    read(call: grpc.ServerWritableStream<ReadReq, ReadResp>) {
      const options = call.request.getOptions()?.getStream();
      const first = options?.hasRevision() ? Number(options.getRevision()) : 0;
      const stream = nameOf(options?.getStreamIdentifier());
      const events = (streams.get(stream) ?? []).filter(({ revision }) => revision >= first);
      const isBackwards = Number(call.request.getOptions()?.getReadDirection()) === 1;
      for (const event of isBackwards ? events.toReversed() : events) call.write(toReadResponse({ ...event, stream }));
      call.end();
    },
  };

  let server = new grpc.Server();
  let port = 0;
  async function listen(): Promise<void> {
    server = new grpc.Server();
    server.addService(streamsService.StreamsService, implementation as grpc.UntypedServiceImplementation);
    port = await new Promise((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
  }
  const write = (request: BatchAppendReq): AppendOutcome => store(toBatchedAppend(request));
  await listen();
  closers.push(() => server.forceShutdown());
  return Object.assign(state, {
    write,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    idsOf: (stream: string) => (streams.get(stream) ?? []).map(({ id }) => id),
    /** Breaks all connections, and accepts new ones. */
    async restart(): Promise<void> {
      server.forceShutdown();
      await listen();
    },
  });
}
type FakeServer = Awaited<ReturnType<typeof startServer>>;

function confirm(request: BatchAppendReq, call: BatchCall, outcome: AppendOutcome): void {
  call.write(toBatchResponse(request, outcome));
}

/** Opens a store whose batch call is open. */
async function openStore(server: FakeServer): Promise<EventStore> {
  const store = await openEventStoreDb(server.url, { log });
  closers.push(() => store.close());
  await appendUntilBatched(server, store);
  return store;
}

/** Sends appends until one of them uses a batch call. Then resets the counts. */
async function appendUntilBatched(server: FakeServer, store: EventStore): Promise<void> {
  const { onBatch } = server;
  server.onBatch = (request, call) => confirm(request, call, server.write(request));
  Object.assign(server.counts, { batched: 0 });
  await expect
    .poll(async () => {
      await append(store, newStream(), newEvent());
      return server.counts.batched;
    })
    .toBeGreaterThan(0);
  server.onBatch = onBatch;
  Object.assign(server.counts, { alone: 0, batched: 0, calls: 0 });
}

/** Returns a function that sends a new append in a batch call, and the client. `change` changes the append. */
function openBatches(server: FakeServer, options: BatchAppendOptions) {
  const { client, close } = connectEventStoreDb(server.url, log);
  closers.push(close);
  const batches = createBatchAppends((handlers) => openBatchCall(client, handlers, createOwnEvents('')), options);
  closers.push(batches.close);
  const send = (left_ms = 5_000, change: Partial<CheckedAppend> = {}) => {
    const checked = { ...checkAppend(newStream(), [newEvent()], 'no-stream'), ...change };
    return batches.append(checked, -1, Date.now() + left_ms);
  };
  return { client, batches, send };
}

const append = (store: EventStore, stream: StreamId, ...events: EventToAppend[]) =>
  store.append(stream, events, { expectedRevision: 'no-stream' });

describe('an append in a batch call', () => {
  it('has the same content, headers and result as a separate call', async () => {
    const server = await startServer();
    const headers: grpc.Metadata[] = [];
    server.onOpen = ({ metadata }) => void headers.push(metadata);
    const requests: BatchAppendReq[] = [];
    server.onBatch = (request, call) => {
      requests.push(request);
      confirm(request, call, server.write(request));
    };
    const store = await openEventStoreDb(server.url, { log });
    closers.push(() => store.close());
    const [first, second] = [newStream(), newStream()];
    const [one, two] = [newEvent(), newEvent()];
    expect(await append(store, first, one, two)).toEqual({ revision: 1, position: at(110) });
    expect(server.counts).toMatchObject({ alone: 1, batched: 0 });
    await appendUntilBatched(server, store);
    requests.splice(0);

    const result = await append(store, second, one, two);
    expect(server.counts).toMatchObject({ alone: 0, batched: 1 });
    const content = (stream: string) =>
      server.streams.get(stream)?.map(({ id, type, isJson, data, metadata }) => ({ id, type, isJson, data, metadata }));
    expect(content(second)).toEqual(content(first));
    expect(result).toEqual({ revision: 1, position: at(server.streams.get(second)?.[1]?.commit ?? 0) });
    expect((await store.readStream(second)).at(-1)).toMatchObject({ ...two, ...result });
    expect(requests[0]?.getOptions()?.hasNoStream()).toBe(true);
    expect(requests[0]?.getOptions()?.hasDeadline()).toBe(false);
    expect(requests[0]?.getIsFinal()).toBe(true);
    expect(headers[0]?.getMap()).toMatchObject({ 'requires-leader': 'true', 'connection-name': expect.any(String) });

    expect(await store.append(second, [newEvent()], { expectedRevision: 1 })).toMatchObject({ revision: 2 });
    expect(requests[1]?.getOptions()?.getStreamPosition()).toBe('1');
  });

  it('to one stream waits for the append before it', async () => {
    const server = await startServer();
    const store = await openStore(server);
    const stream = newStream();
    const events = Array.from({ length: 20 }, newEvent);
    const results = await Promise.all(
      events.map((event) => store.append(stream, [event], { expectedRevision: 'any' })),
    );
    expect(server.idsOf(stream)).toEqual(events.map(({ id }) => id));
    expect(results.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
    expect(results.map(({ position }) => position)).toEqual(results.map(({ position }) => position).toSorted());
    expect(server.counts).toMatchObject({ alone: 0, batched: 20 });
  });

  it('to many streams does not wait for other appends', async () => {
    const server = await startServer();
    const store = await openStore(server);
    const held: (() => void)[] = [];
    server.onBatch = (request, call) => {
      held.push(() => confirm(request, call, server.write(request)));
      // The responses arrive in another order than the requests.
      if (held.length === 64) for (const respond of held.splice(0).toReversed()) respond();
    };
    const streams = Array.from({ length: 64 }, newStream);
    const results = await Promise.all(streams.map((stream) => append(store, stream, newEvent())));
    expect(results.map(({ position }) => position)).toEqual(
      streams.map((stream) => at(server.streams.get(stream)?.[0]?.commit ?? 0)),
    );
    expect(server.counts).toMatchObject({ alone: 0, batched: 64 });
  });

  it('that conflicts is reported with the current revision', async () => {
    const server = await startServer();
    const store = await openStore(server);
    const stream = newStream();
    await append(store, stream, newEvent(), newEvent());
    for (let index = 0; index < 10; index += 1) {
      const other = newStream();
      server.streams.set(other, server.streams.get(stream) ?? []);
      await expect(append(store, other, newEvent())).rejects.toMatchObject({
        name: ConcurrencyConflict.name,
        expected: 'no-stream',
        actual: 1,
      });
    }
    // Conflicts are no failures of the call.
    expect(server.counts).toMatchObject({ batched: 11, calls: 0 });
    await append(store, newStream(), newEvent());
    expect(server.counts).toMatchObject({ batched: 12, alone: 10, calls: 0 });
  });

  type Respond = (request: BatchAppendReq, confirmation: BatchAppendResp) => BatchAppendResp;
  const withError =
    (type: string): Respond =>
    (request) =>
      toUnresolvedBatchResponse(request).setError(toBatchError(type));
  const withSuccess =
    (change: (success: BatchAppendResp.Success | undefined) => unknown): Respond =>
    (_request, confirmation) => {
      change(confirmation.getSuccess());
      return confirmation;
    };
  it.each<[string, Respond]>([
    ...['WrongExpectedVersion', 'Timeout', 'AccessDenied', 'StreamDeleted', 'MaximumAppendSizeExceeded', 'Unknown'].map(
      (type): [string, Respond] => [`the error ${type}`, withError(type)],
    ),
    ['an error without details', (request) => toUnresolvedBatchResponse(request).setError(new statuses.Status())],
    ['no result', toUnresolvedBatchResponse],
    ['no position', withSuccess((success) => success?.clearPosition())],
    ['no revision', withSuccess((success) => success?.clearCurrentRevision())],
    ['another revision', withSuccess((success) => success?.setCurrentRevision('7'))],
    [
      'an invalid position',
      withSuccess((success) => success?.getPosition()?.setCommitPosition(String(2n ** 64n - 1n))),
    ],
    [
      'an id that cannot be read',
      (_request, confirmation) => {
        const id = new shared.UUID();
        const structured = new shared.UUID.Structured();
        structured.setMostSignificantBits('1');
        id.setStructured(structured);
        return confirmation.setCorrelationId(id);
      },
    ],
  ])('whose response has %s is sent again as a separate call, and stored once', async (_, respond) => {
    const server = await startServer();
    const store = await openStore(server);
    for (const isWritten of [false, true]) {
      server.onBatch = (request, call) => {
        const outcome = isWritten
          ? server.write(request)
          : { isWritten: true as const, last: { revision: 0, commit: 1, prepare: 0 } };
        call.write(respond(request, toBatchResponse(request, outcome)));
      };
      const stream = newStream();
      const event = newEvent();
      const result = await append(store, stream, event);
      expect(server.idsOf(stream)).toEqual([event.id]);
      expect(result).toEqual({ revision: 0, position: at(server.streams.get(stream)?.[0]?.commit ?? 0) });
      await appendUntilBatched(server, store);
    }
  });

  it.each<[string, (server: FakeServer, call: BatchCall) => unknown]>([
    ['ends', (_, call) => call.end()],
    ['fails', (_, call) => call.emit('error', { code: grpc.status.UNKNOWN, details: 'failed' })],
    ['is canceled', (_, call) => call.emit('error', { code: grpc.status.CANCELLED, details: 'canceled' })],
    ['loses its leader', (_, call) => call.emit('error', { code: grpc.status.UNAVAILABLE, details: 'no leader' })],
    ['loses its connection', (server) => server.restart()],
  ])('is sent again if the call %s, and stored once', async (_, breakCall) => {
    const server = await startServer();
    const store = await openStore(server);
    let received = 0;
    server.onBatch = (request, call) => {
      received += 1;
      // The server has written half of the appends before the call breaks.
      if (received % 2 === 0) server.write(request);
      if (received === 10) void breakCall(server, call);
    };
    const streams = Array.from({ length: 10 }, newStream);
    const events = streams.map(newEvent);
    const results = await Promise.all(
      streams.map((stream, index) => append(store, stream, events[index] as EventToAppend)),
    );
    expect(streams.map(server.idsOf)).toEqual(events.map(({ id }) => [id]));
    expect(results).toEqual(
      streams.map((stream) => ({ revision: 0, position: at(server.streams.get(stream)?.[0]?.commit ?? 0) })),
    );
    expect(received).toBe(10);
    await appendUntilBatched(server, store);
  });

  it('is sent again if the server does not respond, and the call is canceled', async () => {
    const server = await startServer();
    const { client, batches, send } = openBatches(server, { responseTimeout_ms: 200 });
    const getChannel = () => (client as unknown as { getChannel(): Promise<unknown> }).getChannel();
    await expect.poll(() => send()).not.toBeNull();
    const channel = await getChannel();
    server.onBatch = () => undefined;
    const [open] = server.calls;
    let isCanceled = false;
    open?.on('cancelled', () => (isCanceled = true));

    // An append without any time left is not sent.
    const { batched } = server.counts;
    expect(await send(0)).toBeNull();
    await pause(20);
    expect(server.counts.batched).toBe(batched);
    // An append with little time left does not end the call.
    expect(await send(20)).toBeNull();
    expect(isCanceled).toBe(false);
    expect(await Promise.all([send(), send()])).toEqual([null, null]);
    await expect.poll(() => isCanceled).toBe(true);
    // The other requests of the client use the same connection, so it must stay open.
    expect(await getChannel()).toBe(channel);
    server.onBatch = (request, call) => confirm(request, call, server.write(request));
    await expect.poll(() => send()).toMatchObject({ revision: 0 });

    // A closed sender sends nothing.
    server.onBatch = () => undefined;
    const waiting = send();
    batches.close();
    expect(await waiting).toBeNull();
    const { calls } = server.counts;
    expect(await send()).toBeNull();
    await pause(20);
    expect(server.counts.calls).toBe(calls);
  });

  it('has time left for a separate call if the server does not respond', async () => {
    const server = await startServer();
    const { send } = openBatches(server, { responseTimeout_ms: 10_000 });
    await expect.poll(() => send()).not.toBeNull();
    server.onBatch = () => undefined;
    expect(await Promise.race([send(400), pause(300, 'too late')])).toBeNull();
  });

  it('is canceled with its call if no append gets a response, even if each one has little time', async () => {
    const server = await startServer();
    const { send } = openBatches(server, { responseTimeout_ms: 200 });
    await expect.poll(() => send()).not.toBeNull();
    server.onBatch = () => undefined;
    let isCanceled = false;
    for (const call of server.calls) call.on('cancelled', () => (isCanceled = true));
    await expect
      .poll(async () => {
        expect(await send(40)).toBeNull();
        return isCanceled;
      })
      .toBe(true);
  });

  it('waits alone in a call that has not confirmed anything', async () => {
    const server = await startServer();
    server.onBatch = () => undefined;
    const { send } = openBatches(server, { responseTimeout_ms: 500, firstPause_ms: Infinity });
    const waiting: Promise<unknown>[] = [];
    await expect
      .poll(() => {
        waiting.push(send());
        return server.counts.batched;
      })
      .toBe(1);
    const others = await Promise.all(Array.from({ length: 70 }, () => send()));
    expect(others.every((result) => result === null)).toBe(true);
    expect(server.counts.batched).toBe(1);
    await Promise.all(waiting);
  });

  it('is not tried for longer and longer times while calls do not respond', async () => {
    const server = await startServer();
    vi.useFakeTimers({ toFake: ['Date'] });
    const { send } = openBatches(server, { responseTimeout_ms: 50, firstPause_ms: 1_000 });
    const confirmAll = server.onBatch;
    /** Sends appends until a new call has received one, and has ended or confirmed it. */
    async function tryCall(): Promise<void> {
      const { batched } = server.counts;
      await expect
        .poll(async () => {
          await send();
          return server.counts.batched;
        })
        .toBe(batched + 1);
    }
    async function expectPause(pause_ms: number): Promise<void> {
      const { calls } = server.counts;
      vi.setSystemTime(Date.now() + pause_ms - 1);
      for (let turn = 0; turn < 5; turn += 1) {
        expect(await send()).toBeNull();
        await pause(5);
      }
      expect(server.counts.calls).toBe(calls);
      vi.setSystemTime(Date.now() + 1);
    }
    server.onBatch = () => undefined;
    for (const pause_ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]) {
      await tryCall();
      await expectPause(pause_ms);
    }
    server.onBatch = confirmAll;
    await tryCall();
    for (const call of server.calls) call.end();
    server.onBatch = () => undefined;
    await expect.poll(() => server.calls.size).toBe(0);
    await tryCall();
    await expectPause(1_000);
  });

  it('that cannot be encoded does not affect the other appends of the call', async () => {
    const server = await startServer();
    const { send } = openBatches(server, {});
    await expect.poll(() => send()).not.toBeNull();
    const { calls } = server.counts;
    let respond: () => void = () => undefined;
    const received = new Promise<void>((resolve) => {
      server.onBatch = (request, call) => {
        respond = () => confirm(request, call, server.write(request));
        resolve();
      };
    });
    const other = send();
    await received;
    expect(await send(5_000, { events: [undefined as never] })).toBeNull();
    respond();
    expect(await other).toMatchObject({ revision: 0 });
    expect(server.counts.calls).toBe(calls);
  });

  it('ignores repeated responses and responses to unknown appends', async () => {
    const server = await startServer();
    const store = await openStore(server);
    server.onBatch = (request, call) => {
      const written = server.write(request);
      const unknown = new shared.UUID();
      unknown.setString(crypto.randomUUID());
      call.write(toUnresolvedBatchResponse(request).setCorrelationId(unknown).setError(toBatchError('Unknown')));
      confirm(request, call, written);
      confirm(request, call, written);
    };
    for (let index = 0; index < 3; index += 1)
      expect(await append(store, newStream(), newEvent())).toMatchObject({ revision: 0 });
    expect(server.counts).toMatchObject({ batched: 3, alone: 0, calls: 0 });
  });

  it('is not tried for a while after some failures in a row', async () => {
    const server = await startServer();
    server.onOpen = (call) => void call.emit('error', { code: grpc.status.UNIMPLEMENTED, details: 'unknown method' });
    const store = await openEventStoreDb(server.url, { log });
    closers.push(() => store.close());
    await expect
      .poll(async () => {
        expect(await append(store, newStream(), newEvent())).toMatchObject({ revision: 0 });
        return server.counts.calls;
      })
      .toBeGreaterThan(1);
    expect(server.counts.batched).toBe(0);

    const openWith = (firstPause_ms: number) => {
      server.counts.calls = 0;
      const { send } = openBatches(server, { firstPause_ms });
      return async () => {
        expect(await send()).toBeNull();
        return server.counts.calls;
      };
    };
    const tryWithPause = openWith(Infinity);
    await expect.poll(tryWithPause).toBe(8);
    for (let turn = 0; turn < 20; turn += 1) {
      await pause(5);
      expect(await tryWithPause()).toBe(8);
    }
    await expect.poll(openWith(0)).toBeGreaterThan(8);
  });

  it('completes when the store is closed meanwhile', async () => {
    const server = await startServer();
    const store = await openStore(server);
    let respond: () => void = () => undefined;
    const received = new Promise<void>((resolve) => {
      server.onBatch = (request, call) => {
        respond = () => confirm(request, call, server.write(request));
        resolve();
      };
    });
    const appended = append(store, newStream(), newEvent());
    await received;
    const closed = store.close();
    respond();
    expect(await appended).toMatchObject({ revision: 0 });
    await closed;
    await expect.poll(() => server.calls.size).toBe(0);
  });
});
