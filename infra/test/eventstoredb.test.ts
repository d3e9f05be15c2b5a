import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ConcurrencyConflict,
  EventStoreUnavailable,
  InvalidAppend,
  START_POSITION,
  comparePositions,
  isPosition,
  estimateProgress,
  type EventStore,
  type EventToAppend,
  type Position,
  type StreamId,
} from '@alpenglow/domain';
import * as client from '@eventstore/db-client';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { checkAppend } from '../src/adapters/event-store-input.ts';
import { toClientAddress } from '../src/adapters/eventstoredb/address.ts';
import { connectEventStoreDb, readFiltered } from '../src/adapters/eventstoredb/client.ts';
import { READY } from '../src/adapters/eventstoredb/connection-losses.ts';
import { createOwnEvents, isSystemEvent, type ReceivedEvent } from '../src/adapters/eventstoredb/envelope.ts';
import {
  isOutage,
  isTransient,
  isTombstoned,
  isUnknownStream,
  isRetryable,
  isWrongRevision,
  toPortError,
} from '../src/adapters/eventstoredb/errors.ts';
import { openEventStoreDb } from '../src/adapters/eventstoredb/event-store.ts';
import { exactMatchPattern, createFilter } from '../src/adapters/eventstoredb/filters.ts';
import { readInBatches } from '../src/adapters/eventstoredb/read-in-batches.ts';
import { toLogPosition, toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { sendWithRetry, withDeadline } from '../src/adapters/eventstoredb/request.ts';
import { createEventIdCache, addKnownIds, findRepeatedAppend } from '../src/adapters/eventstoredb/event-id-cache.ts';
import { createLogger } from '../src/service/logger.ts';

const log = createLogger('silent');
const { toClientEvent } = createOwnEvents('');
const meta = {
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'system', name: 'test' },
  at: '2026-11-21T12:00:00.000Z',
} as const;
const newEvent = (overrides: Partial<EventToAppend> = {}): EventToAppend => ({
  id: crypto.randomUUID(),
  type: 'AdPosted',
  version: 3,
  data: { title: 'ä' },
  meta,
  ...overrides,
});

/** Returns a port on which no server listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('positions', () => {
  const at = (commit: bigint, prepare = commit) => toPosition({ commit, prepare });

  it('are converted to positions of the port and back unchanged', () => {
    for (const position of [at(0n), at(1n, 0n), at(987_654_321n), at(2n ** 63n - 1n)]) {
      expect(isPosition(position)).toBe(true);
      const { commit, prepare } = toLogPosition(position) as { commit: bigint; prepare: bigint };
      expect(at(commit, prepare)).toBe(position);
    }
    expect(toLogPosition(START_POSITION)).toBe('start');
  });

  it('have the order of the log when they are compared as texts, by commit and then by prepare', () => {
    const inOrder = [
      START_POSITION,
      at(0n),
      at(9n),
      at(10n, 9n),
      at(10n),
      at(99_999n),
      at(100_000n),
      at(2n ** 63n - 1n),
    ];
    expect(inOrder.toReversed().toSorted(comparePositions)).toEqual(inOrder);
    expect(estimateProgress(at(50n), at(200n))).toBe(0.25);
  });

  it.each([
    '1',
    '0'.repeat(19),
    `${'0'.repeat(20)}/`,
    `${'0'.repeat(19)}/${'0'.repeat(19)}`,
    `${'9'.repeat(20)}/${'0'.repeat(20)}`,
    `${'0'.repeat(20)}/${'0'.repeat(20)} `,
  ])('cannot be parsed from %j', (text) => {
    expect(() => toLogPosition(text as Position)).toThrow(RangeError);
  });

  it('are required in every response of the server', () => {
    expect(() => toPosition(undefined)).toThrow('22.10');
    expect(() => at(2n ** 64n - 1n)).toThrow('22.10');
  });
});

describe('envelope', () => {
  const { isOwn, toRecordedEvent } = createOwnEvents('');
  /** Returns a sent event in the form in which the server returns it. */
  function stored(sent: client.EventData, overrides: Partial<ReceivedEvent> = {}): ReceivedEvent {
    const { id, type } = sent;
    const [data, metadata] = [sent.data, sent.metadata].map((value) => JSON.parse(JSON.stringify(value)) as string);
    return {
      streamId: 'listing-1',
      id,
      type,
      revision: 4n,
      isJson: true,
      data,
      metadata,
      created: new Date(0),
      position: { commit: 7n, prepare: 7n },
      ...overrides,
    } as ReceivedEvent;
  }
  const sentOf = (event: EventToAppend, own = createOwnEvents('')) =>
    checkAppend('listing-1' as StreamId, [event], 'any').events.map(own.toClientEvent)[0] as client.EventData;

  it.each<[string, unknown]>([
    ['an object', { $a: 1, meta: 2, version: 'x' }],
    ['a list', [1, null]],
    ['a text', 'ü'],
    ['zero', 0],
    ['false', false],
    ['null', null],
    ['an empty text', ''],
  ])('preserves an event with %s', (_, data) => {
    const event = newEvent({ data, meta: { ...meta, causationId: 'before', $more: { of: 'it' } } as never });
    expect(isOwn(stored(sentOf(event)))).toBe(true);
    expect(toRecordedEvent(stored(sentOf(event)))).toEqual({
      ...event,
      stream: 'listing-1',
      revision: 4,
      position: toPosition({ commit: 7n, prepare: 7n }),
    });
  });

  it('uses no reserved name', () => {
    expect(Object.keys(sentOf(newEvent()).metadata as object)).toEqual(['version', 'meta']);
  });

  it('does not change if the data changes after the check', () => {
    const data = { title: 'as written' };
    const checked = checkAppend('listing-1' as StreamId, [newEvent({ data })], 'any').events;
    data.title = 'changed';
    expect(checked.map(toClientEvent)[0]?.data).toEqual({ title: 'as written' });
  });

  it.each<[string, Partial<ReceivedEvent>]>([
    ['no metadata', { metadata: undefined }],
    ['metadata of another system', { metadata: { $correlationId: 'x' } }],
    ['bytes for metadata', { metadata: new Uint8Array([1]) }],
    ['metadata without a version', { metadata: { meta } }],
    ['metadata with the version of another system', { metadata: { version: '1', meta } }],
    ['metadata without an actor', { metadata: { version: 1, meta: { ...meta, actor: undefined } } }],
    ['metadata with another actor', { metadata: { version: 1, meta: { ...meta, actor: { kind: 'user' } } } }],
    ['metadata without a time', { metadata: { version: 1, meta: { ...meta, at: 5 } } }],
    ['data that is not JSON', { isJson: false, data: new Uint8Array([1]) }],
  ])('is not that of an event with %s, so the event is not ours', (_, overrides) => {
    expect(isOwn(stored(sentOf(newEvent()), overrides))).toBe(false);
  });

  it('belongs to streams with the prefix, which our interface does not show', () => {
    const shop = createOwnEvents('shop-');
    const { isOwn: isOfShop, toRecordedEvent: toEventOfShop, toServerStream } = shop;
    expect(toServerStream('listing-1')).toBe('shop-listing-1');
    const event = stored(sentOf(newEvent(), shop), { streamId: 'shop-listing-1' });
    expect(isOfShop(event)).toBe(true);
    expect(toEventOfShop(event).stream).toBe('listing-1');
    expect(isOfShop({ ...event, streamId: 'listing-1' })).toBe(false);
    // Without the prefix in the metadata, an installation without a prefix has written the event.
    expect(isOfShop(stored(sentOf(newEvent()), { streamId: 'shop-listing-1' }))).toBe(false);
    for (const streamPrefix of ['', 'shop', 'shop-2']) expect(createOwnEvents(streamPrefix).isOwn(event)).toBe(false);
    const [checked] = checkAppend('listing-1' as StreamId, [newEvent()], 'any').events;
    expect(checked && JSON.parse(shop.toMetadataJson(checked))).toEqual(
      checked && shop.toClientEvent(checked).metadata,
    );
  });

  it("distinguishes the server's own events from all others", () => {
    const event = stored(sentOf(newEvent()));
    expect(isSystemEvent(event)).toBe(false);
    for (const type of ['$metadata', '$>', '$statsCollected']) {
      expect(isSystemEvent({ ...event, type })).toBe(true);
      expect(isOwn({ ...event, type })).toBe(false);
    }
    for (const streamId of ['$settings', '$$listing-1']) {
      expect(isSystemEvent({ ...event, streamId })).toBe(true);
      expect(isOwn({ ...event, streamId })).toBe(false);
    }
  });
});

describe('limits', () => {
  it.each<[string, unknown]>([
    ['no actor', { ...meta, actor: undefined }],
    ['a time that is no text', { ...meta, at: 5 }],
    ['no cause, not even null', { ...meta, causationId: undefined }],
    ['nothing', {}],
  ])('reject metadata with %s, because no read would return the event', (_, wrong) => {
    expect(() => checkAppend('ours' as StreamId, [newEvent({ meta: wrong as never })], 'any')).toThrow(InvalidAppend);
  });

  it.each<[string, string, EventToAppend]>([
    ['a stream', '$ours', newEvent()],
    ['a type', 'ours', newEvent({ type: '$ours' })],
  ])('reject %s with the prefix of the server', (_, stream, event) => {
    expect(() => checkAppend(stream as StreamId, [event], 'any')).toThrow(InvalidAppend);
  });

  it('count bytes as the server does: data, metadata and two bytes for each character of the type', () => {
    const type = 'T'.repeat(100);
    const events = Array.from({ length: 500 }, () => newEvent({ type }));
    const { events: checked, size_bytes } = checkAppend('ours' as StreamId, events, 'any');
    const onServer = checked
      .map(createOwnEvents('p'.repeat(50)).toClientEvent)
      .reduce(
        (sum, { data, metadata }) =>
          sum + Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)) + 2 * type.length,
        0,
      );
    expect(size_bytes).toBeGreaterThanOrEqual(onServer);
    const room = 1024 * 1024 - checkAppend('ours' as StreamId, [newEvent({ data: '' })], 'any').size_bytes;
    expect(checkAppend('ours' as StreamId, [newEvent({ data: 'x'.repeat(room) })], 'any').size_bytes).toBe(1024 * 1024);
    expect(() => checkAppend('ours' as StreamId, [newEvent({ data: 'x'.repeat(room + 1) })], 'any')).toThrow(
      InvalidAppend,
    );
  });
});

describe('filters', () => {
  it('match exactly the requested types', () => {
    const pattern = new RegExp(exactMatchPattern(['AdPosted', 'A.B', 'a|b', '(x)', 'one two']));
    for (const type of ['AdPosted', 'A.B', 'a|b', '(x)', 'one two']) expect(pattern.test(type)).toBe(true);
    for (const type of ['AdPostedTwice', 'ReAdPosted', 'AxB', 'a', 'x', '', 'onetwo'])
      expect(pattern.test(type)).toBe(false);
    expect(new RegExp(exactMatchPattern([])).test('AdPosted')).toBe(false);
  });

  it("exclude the server's own events if no types are requested", () => {
    const pattern = new RegExp((createFilter('', undefined) as client.RegexFilter).regex);
    expect(['AdPosted', 'x'].every((type) => pattern.test(type))).toBe(true);
    expect(['$metadata', '$>'].some((type) => pattern.test(type))).toBe(false);
    expect(createFilter('', ['AdPosted'])).toMatchObject({
      filterOn: 'eventType',
      regex: exactMatchPattern(['AdPosted']),
    });
  });
});

describe('address', () => {
  it.each([
    ['esdb://127.0.0.1:2113?tls=false', 'esdb://127.0.0.1:2113?tls=false', '127.0.0.1:2113'],
    ['kurrentdb://u:p%40x@one:2113/?tls=true', 'esdb://u:p%40x@one:2113?tls=true', 'one:2113'],
    ['kdb+discover://cluster.example', 'esdb+discover://cluster.example', 'cluster.example'],
    [
      'esdb://u:p@a:1,b:2,c:3?Keep-Alive-Interval=10000',
      'esdb://u:p@a:1,b:2,c:3?Keep-Alive-Interval=10000',
      'a:1, b:2, c:3',
    ],
  ])('%s is accepted', (url, connectionString, hosts) => {
    expect(toClientAddress(url)).toEqual({ connectionString, hosts, ignoredOptions: [] });
    expect(() => connectEventStoreDb(url, log)).not.toThrow();
  });

  it('has no options for which the client would write the password to the console', () => {
    expect(
      toClientAddress('esdb://u:secret@a:1?tlsVerifyCert=false&tls=false&throwOnAppendFailure=false&other=1'),
    ).toMatchObject({
      connectionString: 'esdb://u:secret@a:1?tls=false',
      ignoredOptions: ['tlsVerifyCert', 'throwOnAppendFailure', 'other'],
    });
  });

  it.each([
    'http://u:secret@a:1',
    'esdb://',
    'esdb:u:secret@a',
    'esdb://u:secret@a:1?tls=perhaps',
    'esdb://u:secret@a:x',
  ])('%s is rejected without being repeated', async (url) => {
    const rejection = await openEventStoreDb(url, { log }).then(
      () => null,
      (error: unknown) => error as Error,
    );
    expect(rejection?.message).toMatch(/address/u);
    expect(`${rejection?.stack}${JSON.stringify(rejection)}`).not.toContain('secret');
  });
});

describe('errors', () => {
  const grpcError = (code: number, details: string) =>
    client.convertToCommandError(
      Object.assign(new Error(`${code} ${details}`), { code, details, metadata: undefined }),
    );
  const wrongRevision = new client.WrongExpectedVersionError(undefined, { streamName: 's', expected: 1n, current: 2n });

  it.each([
    ['connection lost', grpcError(14, 'Connection dropped'), true],
    ['no leader', grpcError(2, 'No leader info available in response'), true],
    ['reset', grpcError(13, 'Received RST_STREAM with code 2'), true],
    ['cancelled by the server', grpcError(1, 'Call canceled by the server'), true],
    ['given up by the server', grpcError(10, 'Operation timed out: Prepare phase timeout.'), true],
    ['as gRPC throws it', Object.assign(new Error('14'), { code: 14, details: 'No connection established' }), true],
    ['too slow', grpcError(4, 'Deadline exceeded'), false],
    ['too much', grpcError(8, 'Bandwidth exhausted'), false],
    ['no member of the cluster', new Error('Failed to discover after 10 attempts.'), false],
  ])('%s is an outage', (_, error, isRepeated) => {
    expect(isOutage(error)).toBe(true);
    expect(isTransient(error)).toBe(true);
    expect(isRetryable(error)).toBe(isRepeated);
    expect(toPortError(error)).toBeInstanceOf(EventStoreUnavailable);
  });

  it.each([
    ['not allowed', grpcError(16, 'no')],
    ['no such call', grpcError(12, 'Received HTTP status code 404')],
    ['program error', new TypeError('x')],
    ['wrong revision', wrongRevision],
    ['unknown stream', new client.StreamNotFoundError(undefined, 's')],
  ])('%s is not an outage', (_, error) => {
    expect(isOutage(error)).toBe(false);
    expect(isTransient(error)).toBe(false);
    expect(toPortError(error)).not.toBeInstanceOf(EventStoreUnavailable);
  });

  it('are converted to the errors of the port', () => {
    expect(isWrongRevision(wrongRevision)).toBe(true);
    expect(isWrongRevision(grpcError(14, 'x'))).toBe(false);
    expect(isUnknownStream(new client.StreamNotFoundError(undefined, 's'))).toBe(true);
    expect(isTombstoned(client.StreamDeletedError.fromStreamName('s'))).toBe(true);
    expect(toPortError(client.StreamDeletedError.fromStreamName('s'))).toBeInstanceOf(InvalidAppend);
    expect(toPortError(client.MaxAppendSizeExceededError.fromMaxAppendSize(1))).toMatchObject({
      name: 'InvalidAppend',
      isTooLarge: true,
    });
    const oversized = 'Event with Id: 1, Size: 2, exceeds Maximum Append Event Size of 1.';
    expect(toPortError(grpcError(3, oversized))).toMatchObject({ name: 'InvalidAppend', isTooLarge: true });
    // Texts about positions decide nothing. A second read shows what they mean.
    for (const details of ['Trying to read from an invalid position.', 'Unexpected ReadAllResult: Error']) {
      const error = grpcError(2, details);
      expect(toPortError(error)).toBe(error);
    }
    const conflict = new ConcurrencyConflict('s', 1, 2);
    expect(toPortError(conflict)).toBe(conflict);
    expect(isTransient(grpcError(2, 'Exception was thrown by handler.'))).toBe(true);
  });
});

describe('ids of a stream', () => {
  const numbered =
    (...ids: string[]) =>
    (first: number) =>
      ids.map((id, index) => ({ id, revision: first + index }));

  it('grow only without a gap', () => {
    const ids = createEventIdCache();
    ids.add('s', 1, numbered('b')(1));
    expect(ids.get('s').revision).toBe(-1);
    ids.add('s', 0, numbered('a', 'b')(0));
    ids.add('s', 1, numbered('b', 'c')(1));
    ids.add('s', 9, numbered('z')(9));
    ids.add('s', 0, numbered('a')(0));
    expect(ids.get('s')).toEqual({
      revision: 2,
      ids: new Map([
        ['a', 0],
        ['b', 1],
        ['c', 2],
      ]),
    });
    expect(ids.get('t').revision).toBe(-1);
  });

  it('begin at the first revision of a stream whose first events were deleted', () => {
    expect(addKnownIds({ revision: -1, ids: new Map() }, 0, numbered('e')(5)).revision).toBe(5);
  });

  it('are limited: the least recently used stream is removed first', () => {
    const ids = createEventIdCache(10);
    for (let stream = 0; stream < 20; stream += 1) ids.add(`s${stream}`, 0, numbered('a', 'b', 'c')(0));
    expect(ids.get('s19').revision).toBe(2);
    expect(ids.get('s0').revision).toBe(-1);
    ids.add('long', 0, numbered(...Array.from({ length: 11 }, (_, index) => `i${index}`))(0));
    expect(ids.get('long').revision).toBe(-1);
  });

  it('distinguish repetitions, new events and mixtures', () => {
    const known = {
      revision: 3,
      ids: new Map([
        ['a', 0],
        ['b', 1],
        ['c', 2],
        ['d', 3],
      ]),
    };
    const find = (...ids: string[]) =>
      findRepeatedAppend(
        known,
        's',
        ids.map((id) => ({ id })),
      );
    expect(find('x', 'y')).toBeNull();
    expect(find('a', 'b')).toBe(1);
    expect(find('c', 'd')).toBe(3);
    expect(find('a')).toBe(0);
    for (const mixture of [
      ['a', 'x'],
      ['x', 'a'],
      ['b', 'a'],
      ['a', 'c'],
      ['d', 'x'],
    ])
      expect(() => find(...mixture)).toThrow(InvalidAppend);
  });
});

describe('readInBatches', () => {
  const stream = () => new PassThrough({ objectMode: true, highWaterMark: 50 });
  const never = new AbortController().signal;

  it('yields the items that have arrived, without waiting for more', async () => {
    const source = stream();
    for (let item = 1; item <= 5; item += 1) source.write(item);
    const batches = readInBatches<number>(source, { max: 3, signal: never });
    expect((await batches.next()).value).toEqual([1, 2, 3]);
    expect((await batches.next()).value).toEqual([4, 5]);
    const next = batches.next();
    source.write(6);
    expect((await next).value).toEqual([6]);
    source.end();
    expect(await batches.next()).toEqual({ done: true, value: undefined });
  });

  it('makes the source wait while the caller reads nothing', async () => {
    const source = stream();
    const batches = readInBatches<number>(source, { max: 1_000, signal: never });
    const first = batches.next();
    source.write(0);
    await first;
    let written = 0;
    while (written < 1_000 && source.write(written)) written += 1;
    expect(written).toBeLessThanOrEqual(100);
    expect((await batches.next()).value).toEqual(Array.from({ length: written + 1 }, (_, item) => item));
  });

  it('yields all items that arrived before an error', async () => {
    const source = stream();
    source.write(1);
    const batches = readInBatches<number>(source, { max: 10, signal: never });
    expect((await batches.next()).value).toEqual([1]);
    source.write(2);
    // Emits the error without destroying the stream, as the client does.
    source.emit('error', new Error('lost'));
    expect((await batches.next()).value).toEqual([2]);
    await expect(batches.next()).rejects.toThrow('lost');
    expect(() => source.emit('error', new Error('late'))).not.toThrow();
  });

  it('ends on abort, and fails if nothing arrives for too long', async () => {
    const abort = new AbortController();
    const waiting = readInBatches(stream(), { max: 10, signal: abort.signal }).next();
    abort.abort();
    expect((await waiting).done).toBe(true);
    await expect(readInBatches(stream(), { max: 10, signal: never, idleTimeout_ms: 20 }).next()).rejects.toThrow(
      EventStoreUnavailable,
    );
  });
});

describe('the patched client', () => {
  interface Internals {
    supports(): Promise<boolean>;
    handleError(grpcClient: unknown, error: Error): Promise<void>;
    getChannel(): Promise<{ close(): void }>;
  }
  const changed = connectEventStoreDb('esdb://127.0.0.1:1?tls=false', log).client as unknown as Internals;
  const unavailable = client.convertToCommandError(
    Object.assign(new Error('14'), { code: 14, details: 'Connection dropped', metadata: undefined }),
  );
  const grpcClient = {
    getChannel: () => {
      throw new Error('no connection');
    },
  };

  it('appends one by one, and does not query the features of the server', async () => {
    expect(String(client.EventStoreDBClient.prototype.appendToStream)).toContain('this.supports(');
    expect(await changed.supports()).toBe(false);
  });

  it('handles an error while it replaces a connection, which the original client does not', async () => {
    const unchanged = client.EventStoreDBClient.connectionString(
      'esdb://127.0.0.1:1?tls=false',
    ) as unknown as Internals;
    await expect(unchanged.handleError(grpcClient, unavailable)).rejects.toThrow('no connection');
    await expect(changed.handleError(grpcClient, unavailable)).resolves.toBeUndefined();
  });

  it('handles the error of an append on a connection that is just being replaced', async () => {
    const uncaught: unknown[] = [];
    const onUncaught = (reason: unknown) => uncaught.push(reason);
    process.on('unhandledRejection', onUncaught);
    try {
      const port = await closedPort();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, async (_, turns) => {
          const { client: real, close } = connectEventStoreDb(`esdb://127.0.0.1:${port}?tls=false`, log);
          const internals = real as unknown as Internals;
          const channel = await internals.getChannel();
          const closing = vi.spyOn(channel, 'close');
          try {
            // Sends the append with retries, as the adapter does.
            const appended = sendWithRetry(() =>
              real.appendToStream('s', checkAppend('s' as StreamId, [newEvent()], 'any').events.map(toClientEvent)),
            );
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
            await internals.handleError({ getChannel: () => channel }, unavailable);
            expect(closing).toHaveBeenCalled();
            await withDeadline(Date.now() + 5_000, () => appended);
          } finally {
            await close();
          }
        }),
      );
      await pause(50);
      expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual(
        outcomes.map(() => 'EventStoreUnavailable: The event store cannot be reached'),
      );
      expect(uncaught).toEqual([]);
    } finally {
      process.off('unhandledRejection', onUncaught);
    }
  });

  it('requests a limited number of events of some types, and no subscription', async () => {
    interface SentRequest {
      getOptions(): {
        hasSubscription(): boolean;
        getCount(): string;
        getReadDirection(): number;
        getFilter(): { getEventType(): { getRegex(): string } };
      };
    }
    const sent: SentRequest[] = [];
    const { client: real } = connectEventStoreDb('esdb://127.0.0.1:1?tls=false', log);
    const grpcReader = {
      read(request: SentRequest) {
        sent.push(request);
        return new PassThrough({ objectMode: true }).end();
      },
      getChannel: () => ({ getConnectivityState: () => READY, watchConnectivityState: () => undefined }),
    };
    Object.assign(real, {
      GRPCStreamCreator: (_type: unknown, _name: string, create: (reader: unknown) => unknown) => async () =>
        create(grpcReader),
    });
    const read = readFiltered(
      real,
      { fromPosition: 'start', filter: createFilter('', ['AdPosted']), maxCount: 11, requiresLeader: true },
      {},
    );
    for await (const _ of read) expect.unreachable();
    const options = sent[0]?.getOptions();
    expect(options?.hasSubscription()).toBe(false);
    expect(options?.getCount()).toBe('11');
    expect(options?.getReadDirection()).toBe(0);
    expect(options?.getFilter().getEventType().getRegex()).toBe('^(?:AdPosted)$');
  });

  it('provides a connection that can be closed', async () => {
    expect(typeof (await changed.getChannel()).close).toBe('function');
  });
});

describe('without a server', () => {
  const servers: { server: Server; sockets: Socket[] }[] = [];
  afterAll(() => {
    for (const { server, sockets } of servers.splice(0)) {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
  });

  /** Returns the port of a server that accepts connections and sends nothing. */
  async function silentPort(): Promise<number> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    servers.push({ server, sockets });
    return (server.address() as AddressInfo).port;
  }
  const requests = (store: EventStore): Promise<unknown>[] => [
    store.append(crypto.randomUUID() as StreamId, [newEvent()], { expectedRevision: 'no-stream' }),
    store.append(crypto.randomUUID() as StreamId, [newEvent()], { expectedRevision: 0 }),
    store.append('busy' as StreamId, [newEvent()], { expectedRevision: 'any' }),
    store.readStream('s' as StreamId),
    store.readAll({ after: START_POSITION }),
    store.readHead(),
  ];

  async function expectAllUnavailable(url: string): Promise<void> {
    const store = await openEventStoreDb(url, { log });
    const abort = new AbortController();
    const subscription = store
      .subscribeAll({ after: START_POSITION, signal: abort.signal })
      [Symbol.asyncIterator]()
      .next();
    // No server responds, so every request must end by its own time limit.
    for (const outcome of await Promise.allSettled(Array.from({ length: 2 }, () => requests(store)).flat())) {
      expect(outcome.status === 'rejected' && outcome.reason).toBeInstanceOf(EventStoreUnavailable);
    }
    abort.abort();
    expect((await subscription).done).toBe(true);
    await store.close();
    for (const request of requests(store)) await expect(request).rejects.toThrow(EventStoreUnavailable);
  }

  // Each test waits for some seconds of real time, so the tests run in parallel.
  it.concurrent('every request fails soon without a listener', async () =>
    expectAllUnavailable(`esdb://127.0.0.1:${await closedPort()}?tls=false`));
  it.concurrent('every request fails soon if no member of a cluster listens, and every error is handled', async () =>
    expectAllUnavailable(`esdb://127.0.0.1:${await closedPort()},127.0.0.1:${await closedPort()}?tls=false`));
  it.concurrent('every request fails within 10 s if the server sends nothing', async () =>
    expectAllUnavailable(`esdb://127.0.0.1:${await silentPort()}?tls=false`));

  it('a subscription retries until it is closed', async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push({ server, sockets: [] });
    const store = await openEventStoreDb(`esdb://127.0.0.1:${(server.address() as AddressInfo).port}?tls=false`, {
      log,
    });
    const subscription = store
      .subscribeAll({ after: START_POSITION, signal: new AbortController().signal })
      [Symbol.asyncIterator]()
      .next();
    await expect.poll(() => attempts).toBeGreaterThan(3);
    await store.close();
    expect((await subscription).done).toBe(true);
    const atClose = attempts;
    await pause(300);
    expect(attempts).toBeLessThanOrEqual(atClose + 1);
  });
});
