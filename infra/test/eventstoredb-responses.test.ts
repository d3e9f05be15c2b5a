import { PassThrough } from 'node:stream';
import {
  EventStoreUnavailable,
  InvalidAppend,
  LogRewound,
  START_POSITION,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import {
  convertToCommandError,
  END,
  NO_STREAM,
  StreamNotFoundError,
  UnavailableError,
  WrongExpectedVersionError,
  UnknownError,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkAppend } from '../src/adapters/event-store-input.ts';
import { createAppender } from '../src/adapters/eventstoredb/appender.ts';
import { findConfirmed } from '../src/adapters/eventstoredb/confirm-loss.ts';
import { createOwnEvents } from '../src/adapters/eventstoredb/envelope.ts';
import { createForeignEventCounter } from '../src/adapters/eventstoredb/foreign-events.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { createReader, type Reader } from '../src/adapters/eventstoredb/reader.ts';
import { createEventIdCache } from '../src/adapters/eventstoredb/event-id-cache.ts';
import { createOutageLog, type OutageLog } from '../src/adapters/eventstoredb/outage-log.ts';
import { subscribe } from '../src/adapters/eventstoredb/subscription.ts';

// These tests check how the adapter handles the responses of a fake EventStoreDB client. Other tests check the adapter
// with a real server (decision 0018).

const meta = {
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'system', name: 'test' },
  at: '2026-11-21T12:00:00.000Z',
} as const;
const at = (commit: number): Position => toPosition({ commit: BigInt(commit), prepare: BigInt(commit) });
const unavailable = () => new UnavailableError({ message: '14 UNAVAILABLE: Connection dropped', code: 14 } as never);
const wrongRevision = () => new WrongExpectedVersionError(undefined, { streamName: 's', expected: 0n, current: 0n });

const own = createOwnEvents('');

/** Every append of these tests is sent as a separate call. `eventstoredb-batches.test.ts` checks the batch calls. */
const noBatches = { append: async () => null };

function newEvent(): EventToAppend {
  return { id: crypto.randomUUID(), type: 'AdPosted', version: 1, data: {}, meta };
}
const toRecordedEvent = (event: EventToAppend, revision: number): RecordedEvent => ({
  ...event,
  stream: 's' as StreamId,
  revision,
  position: at(100 + revision),
});

describe('an append', () => {
  type AppendResponse = { readonly revision: number; readonly commit?: number } | Error;

  /**
   * Returns an appender with a fake client, which returns `responses` one after the other. The stream already contains
   * the events `existing`.
   */
  function createScriptedAppender(responses: readonly AppendResponse[], existing: RecordedEvent[] = []) {
    const sent: unknown[] = [];
    const read: number[] = [];
    const remaining = [...responses];
    const client = {
      appendToStream: async (
        _stream: string,
        _events: unknown,
        { expectedRevision }: { expectedRevision: unknown },
      ) => {
        sent.push(expectedRevision);
        const response = remaining.shift();
        if (!response || response instanceof Error)
          throw response ?? new Error('more requests were sent than there are responses');
        return {
          success: true,
          nextExpectedRevision: BigInt(response.revision),
          position:
            response.commit === undefined
              ? undefined
              : { commit: BigInt(response.commit), prepare: BigInt(response.commit) },
        };
      },
    } as unknown as EventStoreDBClient;
    const reader = {
      readStream: async (_stream: string, { from = 0, limit }: { from?: number; limit: number }) =>
        existing.filter(({ revision }) => revision >= from).slice(0, limit),
      readStreamIds: async (_stream: string, from: number) => {
        read.push(from);
        return existing.filter(({ revision }) => revision >= from);
      },
      readStreamEnd: async () => {
        const last = existing.at(-1)?.revision ?? -1;
        return { last, own: last };
      },
    } as unknown as Reader;
    const ids = createEventIdCache();
    const appender = createAppender(client, reader, ids, noBatches, own);
    return {
      sent,
      read,
      existing,
      ids,
      close: appender.close,
      append: (events: EventToAppend[], expected: ExpectedRevision, stream = 's' as StreamId) =>
        appender.append(checkAppend(stream, events, expected)),
    };
  }

  it('to a new stream is sent without a read, and so is the next one', async () => {
    const { append, sent, read } = createScriptedAppender([
      { revision: 1, commit: 7 },
      { revision: 2, commit: 9 },
    ]);
    expect(await append([newEvent(), newEvent()], 'no-stream')).toEqual({ revision: 1, position: at(7) });
    expect(await append([newEvent()], 1)).toEqual({ revision: 2, position: at(9) });
    expect(sent).toEqual([NO_STREAM, 1n]);
    expect(read).toEqual([]);
  });

  it('to an unknown stream reads the stream first, once', async () => {
    const existing = [toRecordedEvent(newEvent(), 0), toRecordedEvent(newEvent(), 1)];
    const { append, sent, read } = createScriptedAppender(
      [
        { revision: 2, commit: 9 },
        { revision: 3, commit: 10 },
      ],
      existing,
    );
    await append([newEvent()], 1);
    await append([newEvent()], 2);
    expect(sent).toEqual([1n, 2n]);
    expect(read).toEqual([0]);
  });

  it('whose events already exist is not sent, and returns the earlier result', async () => {
    const [first, second] = [newEvent(), newEvent()];
    const existing = [toRecordedEvent(first, 0), toRecordedEvent(second, 1), toRecordedEvent(newEvent(), 2)];
    for (const expected of [2, 1] as const) {
      const { append, sent } = createScriptedAppender([], existing);
      expect(await append([first, second], expected)).toEqual({ revision: 1, position: at(101) });
      expect(sent).toEqual([]);
    }
  });

  it('is rejected without being sent if only some of its events exist', async () => {
    const existing = [toRecordedEvent(newEvent(), 0), toRecordedEvent(newEvent(), 1)];
    const { append, sent } = createScriptedAppender([], existing);
    await expect(append([newEvent(), existing[1] as RecordedEvent], 1)).rejects.toThrow(InvalidAppend);
    expect(sent).toEqual([]);
  });

  it('that the server rejects is a conflict with the current revision', async () => {
    const existing = [toRecordedEvent(newEvent(), 0), toRecordedEvent(newEvent(), 1)];
    const { append } = createScriptedAppender([wrongRevision(), wrongRevision(), wrongRevision()], existing);
    await expect(append([newEvent()], 'no-stream')).rejects.toMatchObject({
      name: 'ConcurrencyConflict',
      expected: 'no-stream',
      actual: 1,
    });
    await expect(append([newEvent()], 5)).rejects.toMatchObject({
      name: 'ConcurrencyConflict',
      expected: 5,
      actual: 1,
    });
    await expect(createScriptedAppender([wrongRevision()]).append([newEvent()], 0)).rejects.toMatchObject({
      actual: -1,
    });
  });

  it('that was written although its response was lost returns the first result', async () => {
    const event = newEvent();
    for (const expected of ['no-stream', 'any'] as const) {
      const { append, sent } = createScriptedAppender(
        [wrongRevision()],
        [toRecordedEvent(event, 0), toRecordedEvent(newEvent(), 1)],
      );
      expect(await append([event], expected)).toEqual({ revision: 0, position: at(100) });
      expect(sent).toEqual([NO_STREAM]);
    }
  });

  it('without an expected revision is sent again after the events of other writers', async () => {
    const { append, sent, read, existing } = createScriptedAppender(
      [wrongRevision(), wrongRevision(), { revision: 3, commit: 9 }],
      [toRecordedEvent(newEvent(), 0), toRecordedEvent(newEvent(), 1)],
    );
    const appended = append([newEvent()], 'any');
    setTimeout(() => existing.push(toRecordedEvent(newEvent(), 2)), 0);
    await expect(appended).resolves.toMatchObject({ revision: 3 });
    expect(sent[0]).toBe(NO_STREAM);
    expect(sent.at(-1)).toBe(BigInt(existing.length - 1));
    expect(read[0]).toBe(0);
  });

  it('does not use cached events that the server has lost in a restore', async () => {
    const shorter = createScriptedAppender([{ revision: 0, commit: 1 }, wrongRevision(), { revision: 0, commit: 5 }]);
    await shorter.append([newEvent()], 'no-stream');
    expect(await shorter.append([newEvent()], 'any')).toEqual({ revision: 0, position: at(5) });
    expect(shorter.sent).toEqual([NO_STREAM, 0n, NO_STREAM]);

    const other = createScriptedAppender([{ revision: 0, commit: 1 }, wrongRevision(), { revision: 1, commit: 5 }]);
    const lost = newEvent();
    await other.append([lost], 'no-stream');
    other.existing.push(toRecordedEvent(newEvent(), 0));
    expect(await other.append([lost], 'any')).toEqual({ revision: 1, position: at(5) });
    expect(other.sent).toEqual([NO_STREAM, NO_STREAM, 0n]);
  });

  it('is sent again after a broken connection, with the same revision', async () => {
    const { append, sent } = createScriptedAppender([unavailable(), unavailable(), { revision: 0, commit: 3 }]);
    expect(await append([newEvent()], 'no-stream')).toEqual({ revision: 0, position: at(3) });
    expect(sent).toEqual([NO_STREAM, NO_STREAM, NO_STREAM]);
    await expect(
      createScriptedAppender([unavailable(), unavailable(), unavailable(), unavailable()]).append(
        [newEvent()],
        'no-stream',
      ),
    ).rejects.toThrow(EventStoreUnavailable);
  });

  it('reads its position from the stream if the response contains none', async () => {
    const event = newEvent();
    const { append } = createScriptedAppender([{ revision: 0 }], [toRecordedEvent(event, 0)]);
    expect(await append([event], 'no-stream')).toEqual({ revision: 0, position: at(100) });
  });

  it('waits for earlier appends to the same stream only; too many are rejected', async () => {
    const pending: (() => void)[] = [];
    const sentTo: string[] = [];
    const client = {
      appendToStream: (stream: StreamId) => {
        sentTo.push(stream);
        return new Promise((resolve) =>
          pending.push(() =>
            resolve({ success: true, nextExpectedRevision: 0n, position: { commit: 1n, prepare: 1n } }),
          ),
        );
      },
    } as unknown as EventStoreDBClient;
    const appender = createAppender(client, {} as Reader, createEventIdCache(), noBatches, own);
    const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
    const send = (stream: StreamId) => appender.append(checkAppend(stream, [newEvent()], 'no-stream'));

    const first = [send('a' as StreamId), send('a' as StreamId), send('b' as StreamId)];
    await tick();
    expect(sentTo).toEqual(['a', 'b']);
    pending.splice(0).forEach((response) => response());
    await tick();
    expect(sentTo).toEqual(['a', 'b', 'a']);
    pending.splice(0).forEach((response) => response());
    await Promise.all(first);

    const many = Array.from({ length: 4_096 }, (_, index) => send(`s${index}` as StreamId));
    await expect(send('one more' as StreamId)).rejects.toThrow('Too many appends');
    await tick();
    expect(sentTo.length).toBe(3 + 64);
    let isClosed = false;
    const closing = appender.close().then(() => (isClosed = true));
    await expect(send('late' as StreamId)).rejects.toThrow('closed');
    while (pending.length > 0) {
      expect(isClosed).toBe(false);
      pending.splice(0).forEach((response) => response());
      await tick();
    }
    expect((await Promise.all(many)).length).toBe(4_096);
    await closing;
  });

  it('succeeds even if the append before it has failed', async () => {
    const { append } = createScriptedAppender([new TypeError('a mistake'), { revision: 0, commit: 1 }]);
    const [first, second] = await Promise.allSettled([
      append([newEvent()], 'no-stream'),
      append([newEvent()], 'no-stream'),
    ]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });
});

interface SentEvent {
  readonly commit: number;
  readonly id?: string;
  readonly type?: string;
  readonly streamId?: string;
}
const idAt = (position: Position) => `id of ${position}`;
const toResolvedEvent = ({ commit, id = idAt(at(commit)), type = 'AdPosted', streamId = 's' }: SentEvent) => ({
  event: {
    id,
    type,
    streamId,
    revision: BigInt(commit),
    isJson: true,
    data: {},
    metadata: { version: 1, meta },
    created: new Date(),
    position: { commit: BigInt(commit), prepare: BigInt(commit) },
  },
});

/** Returns a client stream that delivers `events`. `end` states whether the stream then ends, fails or stays open. */
function streamOf(events: readonly SentEvent[], end: 'ends' | 'stays open' | Error = 'ends') {
  const stream = Object.assign(new PassThrough({ objectMode: true }), {
    isCancelled: false,
    cancel: async () => void (stream.isCancelled = true),
    unsubscribe: async () => void (stream.isCancelled = true),
  });
  for (const event of events) stream.write(toResolvedEvent(event));
  if (end === 'ends') stream.end();
  else if (end !== 'stays open') setImmediate(() => stream.emit('error', end));
  // The server confirms a subscription. A connection that cannot be opened is never confirmed.
  if (!(end instanceof Error)) process.nextTick(() => stream.emit('confirmation'));
  return stream;
}

type StreamResponse = () => ReturnType<typeof streamOf>;
const respondWith =
  (...args: Parameters<typeof streamOf>): StreamResponse =>
  () =>
    streamOf(...args);

describe('a read of all streams', () => {
  const log: SentEvent[] = [
    { commit: 10, type: '$metadata' },
    { commit: 20 },
    { commit: 30, type: 'AdUpdated' },
    { commit: 35, streamId: '$settings' },
    { commit: 40 },
    { commit: 50, type: '$statsCollected' },
    { commit: 60, type: '$>' },
  ];

  function readerOver(events: SentEvent[], mode?: 'rejects positions after its last event') {
    const isInvalid = (commit: number) => mode !== undefined && commit > (events.at(-1)?.commit ?? 0);
    const details = 'Trying to read from an invalid position.';
    const rejection = () =>
      convertToCommandError(Object.assign(new Error(`3 INVALID_ARGUMENT: ${details}`), { code: 3, details }));
    const requests: { from: unknown; backwards: boolean; maxCount: number }[] = [];
    const client = {
      readAll: ({
        direction,
        fromPosition,
        maxCount = Infinity,
      }: {
        direction?: string;
        fromPosition: unknown;
        maxCount?: number;
      }) => {
        const backwards = direction === 'backwards';
        const first = typeof fromPosition === 'object' ? Number((fromPosition as { commit: bigint }).commit) : 0;
        const due = backwards ? events.toReversed() : events.filter(({ commit }) => commit >= first);
        requests.push({ from: fromPosition, backwards, maxCount });
        if (!backwards && isInvalid(first)) return streamOf([], rejection());
        return streamOf(due.slice(0, maxCount));
      },
      subscribeToAll: ({ fromPosition, filter }: { fromPosition: unknown; filter: { regex: string } }) => {
        const first = typeof fromPosition === 'object' ? Number((fromPosition as { commit: bigint }).commit) : 0;
        const pattern = new RegExp(filter.regex, 'u');
        if (isInvalid(first)) return streamOf([], rejection());
        return streamOf(events.filter(({ commit, type = 'AdPosted' }) => commit >= first && pattern.test(type)));
      },
    } as unknown as EventStoreDBClient;
    return { requests, reader: createReader(client, new AbortController().signal, own, { confirmAfter_ms: 1 }) };
  }
  const commits = (events: readonly RecordedEvent[]) => events.map(({ position }) => Number(position.split('/')[0]));

  it('returns events after a position, of the given types and up to a limit, but no system events', async () => {
    const { reader } = readerOver(log);
    expect(commits(await reader.readAll(START_POSITION, 10, undefined))).toEqual([20, 30, 40]);
    expect(commits(await reader.readAll(at(20), 10, undefined))).toEqual([30, 40]);
    expect(commits(await reader.readAll(START_POSITION, 2, undefined))).toEqual([20, 30]);
    expect(commits(await reader.readAll(START_POSITION, 10, ['AdPosted']))).toEqual([20, 40]);
    expect(commits(await reader.readAll(at(20), 10, ['AdPosted']))).toEqual([40]);
    expect(commits(await reader.readAll(START_POSITION, 1, ['AdPosted']))).toEqual([20]);
    expect(await reader.readAll(at(40), 10, ['AdPosted'])).toEqual([]);
    expect(await reader.readAll(START_POSITION, 10, [])).toEqual([]);
    await expect(reader.readAll('1' as Position, 10, undefined)).rejects.toThrow(RangeError);
  });

  it('requests no more events than it returns, if none of them is the server’s own', async () => {
    const { reader, requests } = readerOver(Array.from({ length: 300 }, (_, index) => ({ commit: index + 1 })));
    expect(await reader.readAll(START_POSITION, 100, undefined)).toHaveLength(100);
    expect(commits(await reader.readAll(at(100), 2, undefined))).toEqual([101, 102]);
    // The server also returns the event at the position.
    expect(requests.filter(({ backwards }) => !backwards).map(({ maxCount }) => maxCount)).toEqual([101, 3]);
  });

  it('finds events between any number of the server’s own, with few requests', async () => {
    const own = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ commit: from + index, type: '$statsCollected' }));
    const { reader, requests } = readerOver([
      { commit: 1 },
      ...own(2, 5_000),
      { commit: 6_000 },
      ...own(6_001, 2_000),
      { commit: 9_000 },
      ...own(9_001, 500),
    ]);
    expect(commits(await reader.readAll(START_POSITION, 2, undefined))).toEqual([1, 6_000]);
    expect(commits(await reader.readAll(START_POSITION, 1_000, undefined))).toEqual([1, 6_000, 9_000]);
    expect(requests.length).toBeLessThan(40);
  });

  it('does not search the head again for full pages before the known head', async () => {
    const events = Array.from({ length: 300 }, (_, index) => ({ commit: index + 1 }));
    const { reader, requests } = readerOver(events);
    const searches = () => requests.filter(({ backwards }) => backwards).length;
    expect(await reader.readAll(START_POSITION, 100, undefined)).toHaveLength(100);
    expect(await reader.readAll(at(100), 100, undefined)).toHaveLength(100);
    expect(await reader.readAll(at(100), 100, ['AdPosted'])).toHaveLength(100);
    expect(searches()).toBe(1);
    events.push(...Array.from({ length: 10 }, (_, index) => ({ commit: 301 + index })));
    expect(commits(await reader.readAll(at(250), 100, undefined))).toHaveLength(60);
    expect(searches()).toBe(2);
  });

  it('returns nothing after a position that the server has lost in a restore', async () => {
    const events = [...log];
    const { reader } = readerOver(events, 'rejects positions after its last event');
    expect(await reader.head()).toBe(at(40));
    events.splice(1);
    expect(await reader.readAll(at(30), 10, undefined)).toEqual([]);
    expect(await reader.readAll(at(30), 10, ['AdPosted'])).toEqual([]);
    const ahead = readerOver([...log], 'rejects positions after its last event').reader;
    expect(commits(await ahead.readAll(at(20), 10, ['AdPosted']))).toEqual([40]);
  });

  it('requests nothing after the head', async () => {
    const { reader, requests } = readerOver(log);
    expect(await reader.readAll(at(40), 10, undefined)).toEqual([]);
    expect(requests.map(({ backwards }) => backwards)).toEqual([true]);
  });

  it('returns the lower head of a log that was restored, even if the log has become longer again', async () => {
    const events = [...log];
    const { reader } = readerOver(events);
    expect(await reader.head()).toBe(at(40));
    events.splice(2);
    expect(await reader.head()).toBe(at(20));
    events.push({ commit: 70, type: '$metadata' });
    expect(await reader.head()).toBe(at(20));
  });

  it('returns the id of the event that begins at a position', async () => {
    const { reader } = readerOver(log);
    expect(await reader.findEventId(at(30), null)).toBe(idAt(at(30)));
    for (const position of [at(25), at(100), START_POSITION])
      expect(await reader.findEventId(position, null)).toBeNull();
  });

  it('reads again before it reports that the event of a reader is lost, because a node may be behind', async () => {
    const events = log.slice(0, 2);
    const { reader } = readerOver(events);
    const found: (string | null)[] = [];
    const find = async () => {
      found.push(await reader.findEventId(at(30), null));
      // The node receives the missing events between the two reads.
      if (found.length === 1) events.push(...log.slice(2));
      return found.at(-1) ?? null;
    };
    const options = { signal: new AbortController().signal, confirmAfter_ms: 1 };
    expect(await findConfirmed(find, idAt(at(30)), options)).toBe(idAt(at(30)));
    expect(found).toEqual([null, idAt(at(30))]);
    await findConfirmed(find, idAt(at(30)), options);
    await findConfirmed(find, null, options);
    expect(found).toHaveLength(4);
  });

  it('confirms with a second read that the log is shorter, or has another event at the position', async () => {
    const { reader, requests } = readerOver(log);
    expect(await reader.findEventId(at(30), idAt(at(30)))).toBe(idAt(at(30)));
    expect(requests.splice(0)).toHaveLength(1);
    expect(await reader.findEventId(at(30), 'another event')).toBe(idAt(at(30)));
    expect(requests.splice(0)).toHaveLength(2);
    expect(await reader.findEventId(at(100), null)).toBeNull();
    expect(requests.splice(0)).toHaveLength(2);
    expect(await reader.findEventId(START_POSITION, null)).toBeNull();
    expect(requests).toEqual([]);
  });

  it('returns the last event for readers as the head, and reads no range twice', async () => {
    const events = [...log];
    const { reader, requests } = readerOver(events);
    expect(await reader.head()).toBe(at(40));
    events.push(...Array.from({ length: 5 }, (_, index) => ({ commit: 70 + index, type: '$statsCollected' })));
    expect(await reader.head()).toBe(at(40));
    events.push({ commit: 90 }, { commit: 91, type: '$>' });
    expect(await reader.head()).toBe(at(90));
    expect(requests.every(({ from }) => from === END)).toBe(true);
    expect(await readerOver([{ commit: 1, type: '$metadata' }]).reader.head()).toBe(START_POSITION);
    expect(await readerOver([]).reader.head()).toBe(START_POSITION);
  });
});

describe('a read of a stream', () => {
  it('returns nothing for an unknown stream, retries a broken read, and reports other errors', async () => {
    const reader = (...responses: StreamResponse[]) =>
      createReader(
        { readStream: () => responses.shift()?.() } as unknown as EventStoreDBClient,
        new AbortController().signal,
        own,
      );
    const page = { direction: 'forwards', from: undefined, limit: 10 } as const;
    expect(await reader(respondWith([], new StreamNotFoundError(undefined, 's'))).readStream('s', page)).toEqual([]);
    expect(
      (
        await reader(
          respondWith([{ commit: 1 }], unavailable()),
          respondWith([{ commit: 1 }, { commit: 2 }]),
        ).readStream('s', page)
      ).map(({ revision }) => revision),
    ).toEqual([1, 2]);
    await expect(reader(respondWith([], new TypeError('a mistake'))).readStream('s', page)).rejects.toThrow(
      'a mistake',
    );
  });
});

describe('a subscription', () => {
  /** The lines of the log: level, reason, and whether the line has a stack. */
  let lines: { readonly level: string; readonly reason: unknown; readonly hasStack: boolean }[];
  let outages: OutageLog;
  beforeEach(() => {
    const recorded: typeof lines = [];
    const record = (level: string) => (details: object | string) => {
      const { reason, err } = typeof details === 'string' ? { reason: details } : (details as Record<string, unknown>);
      recorded.push({ level, reason, hasStack: err !== undefined });
    };
    lines = recorded;
    outages = createOutageLog({ info: record('info'), warn: record('warn') });
  });

  function startSubscription(
    responses: StreamResponse[],
    {
      after = START_POSITION,
      types,
      afterId = null,
      findEventId = async (position) => idAt(position),
      readAll = async () => [],
      stallCheck_ms = 60_000,
    }: {
      after?: Position;
      afterId?: string | null;
      types?: string[];
      findEventId?: (position: Position) => Promise<string | null>;
      readAll?: Reader['readAll'];
      stallCheck_ms?: number;
    } = {},
  ) {
    const requests: unknown[] = [];
    const abort = new AbortController();
    const client = {
      subscribeToAll: ({ fromPosition }: { fromPosition: unknown }) => {
        requests.push(fromPosition);
        return (responses[requests.length - 1] ?? respondWith([], 'stays open'))();
      },
    } as unknown as EventStoreDBClient;
    const batches = subscribe(client, {
      after: { position: after, id: afterId },
      types,
      signal: abort.signal,
      outages,
      reader: { findEventId, readAll },
      own,
      foreignEvents: createForeignEventCounter(() => undefined),
      stallCheck_ms,
      onRewound: () => undefined,
    });
    return { requests, abort, batches };
  }
  async function take(batches: AsyncIterable<readonly RecordedEvent[]>, count: number): Promise<number[]> {
    const received: number[] = [];
    for await (const batch of batches) {
      received.push(...batch.map(({ revision }) => revision));
      if (received.length >= count) break;
    }
    return received;
  }

  it('resumes after the last delivered event, and skips an event that is sent again', async () => {
    const { batches, requests } = startSubscription([
      respondWith([{ commit: 1 }, { commit: 2 }, { commit: 3, type: '$>' }], unavailable()),
      respondWith([{ commit: 2 }, { commit: 4 }]),
      respondWith([], unavailable()),
      respondWith([{ commit: 5 }], 'stays open'),
    ]);
    expect(await take(batches, 4)).toEqual([1, 2, 4, 5]);
    expect(requests).toEqual([
      'start',
      { commit: 2n, prepare: 2n },
      { commit: 4n, prepare: 4n },
      { commit: 4n, prepare: 4n },
    ]);
  });

  it('resumes without a warning if the reader was too slow', async () => {
    const message = 'Consumer too slow to handle event while live. Client resubscription required.';
    for (const ErrorClass of [UnknownError, UnavailableError]) {
      const { batches, requests } = startSubscription([
        respondWith([{ commit: 1 }], new ErrorClass({ message, code: 2 } as never)),
        respondWith([{ commit: 2 }], 'stays open'),
      ]);
      expect(await take(batches, 2)).toEqual([1, 2]);
      expect(requests).toEqual(['start', { commit: 1n, prepare: 1n }]);
    }
    expect(lines).toEqual([]);
  });

  it('logs one line for an outage of all subscriptions, without a stack', async () => {
    const subscriptions = Array.from({ length: 22 }, () =>
      startSubscription([
        respondWith([{ commit: 1 }], unavailable()),
        respondWith([], unavailable()),
        respondWith([{ commit: 2 }], 'stays open'),
      ]),
    );
    const received = await Promise.all(subscriptions.map(({ batches }) => take(batches, 2)));
    expect(received).toEqual(subscriptions.map(() => [1, 2]));
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', reason: expect.any(String) as string, hasStack: false },
    ]);
    await expect.poll(() => lines.at(-1)).toMatchObject({ level: 'info' });
  });

  it('delivers the requested types', async () => {
    const { batches } = startSubscription(
      [
        respondWith(
          [
            { commit: 1, type: 'A' },
            { commit: 2, type: 'AB' },
            { commit: 3, type: 'A' },
          ],
          'stays open',
        ),
      ],
      { types: ['A'] },
    );
    expect(await take(batches, 2)).toEqual([1, 3]);
  });

  it('begins again if it delivers nothing although the log contains a further event', async () => {
    const comparisons: Position[] = [];
    const { batches, requests } = startSubscription(
      [respondWith([{ commit: 1 }], 'stays open'), respondWith([{ commit: 2 }], 'stays open')],
      {
        stallCheck_ms: 10,
        readAll: async (after) => {
          comparisons.push(after);
          // The log contains the second event only after some time, and the leader cannot be read at first.
          if (comparisons.length === 1) throw new EventStoreUnavailable('no leader');
          return comparisons.length < 4 ? [] : [{ ...toRecordedEvent(newEvent(), 2), position: at(2) }];
        },
      },
    );
    expect(await take(batches, 2)).toEqual([1, 2]);
    expect(requests).toEqual(['start', { commit: 1n, prepare: 1n }]);
    expect(comparisons.slice(0, 4)).toEqual([at(1), at(1), at(1), at(1)]);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('continues while the log contains no further event, and while its reader is busy', async () => {
    let comparisons = 0;
    const { batches, requests, abort } = startSubscription(
      [respondWith([{ commit: 1 }, { commit: 2 }], 'stays open')],
      {
        stallCheck_ms: 5,
        readAll: async (after) => {
          comparisons += 1;
          return after < at(2) ? [{ ...toRecordedEvent(newEvent(), 2), position: at(2) }] : [];
        },
      },
    );
    for await (const _batch of batches) {
      // A busy reader does not wait for events, so nothing is compared.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(comparisons).toBe(0);
      void expect
        .poll(() => comparisons)
        .toBeGreaterThan(3)
        .then(() => abort.abort());
    }
    expect(requests).toEqual(['start']);
    expect(lines).toEqual([]);
  });

  it('ends with an error if events are out of order', async () => {
    const { batches } = startSubscription([respondWith([{ commit: 5 }, { commit: 4 }], 'stays open')]);
    await expect(take(batches, 2)).rejects.toThrow('sent');
  });

  it('ends with LogRewound, without a request, if the server does not have the event at its start', async () => {
    for (const id of [null, 'another event']) {
      const { batches, requests } = startSubscription([], {
        after: at(50),
        afterId: idAt(at(50)),
        findEventId: async () => id,
      });
      await expect(take(batches, 1)).rejects.toThrow(LogRewound);
      expect(requests).toEqual([]);
    }
    const afterSameEvent = startSubscription([respondWith([{ commit: 51 }], 'stays open')], {
      after: at(50),
      afterId: idAt(at(50)),
    });
    expect(await take(afterSameEvent.batches, 1)).toEqual([51]);
  });

  it('ends with LogRewound if the server lacks the last delivered event after an outage', async () => {
    const { batches, requests } = startSubscription(
      [respondWith([{ commit: 1 }, { commit: 2, id: 'lost' }], unavailable()), respondWith([{ commit: 3 }])],
      {},
    );
    await expect(take(batches, 3)).rejects.toThrow(LogRewound);
    expect(requests).toEqual(['start']);
  });

  it('retries the check of its start during an outage, and stops when it is aborted', async () => {
    let reads = 0;
    const findEventId = async (position: Position) => {
      reads += 1;
      if (reads < 3) throw new EventStoreUnavailable('away');
      return idAt(position);
    };
    const { batches } = startSubscription(
      [respondWith([{ commit: 51 }], unavailable()), respondWith([{ commit: 52 }], 'stays open')],
      { after: at(50), findEventId },
    );
    expect(await take(batches, 2)).toEqual([51, 52]);
    expect(reads).toBe(4);

    const { batches: remaining, abort } = startSubscription([], {
      after: at(50),
      findEventId: () => new Promise(() => undefined),
    });
    setTimeout(() => abort.abort(), 20);
    expect(await take(remaining, 1)).toEqual([]);
  });

  it('ends on the server when it is aborted or the caller stops', async () => {
    for (const leave of ['abort', 'break'] as const) {
      const open = streamOf([{ commit: 1 }], 'stays open');
      const { batches, abort } = startSubscription([() => open]);
      const received: number[] = [];
      for await (const batch of batches) {
        received.push(...batch.map(({ revision }) => revision));
        if (leave === 'break') break;
        // The subscription then waits for its next event.
        setImmediate(() => abort.abort());
      }
      expect(received).toEqual([1]);
      expect(open.isCancelled).toBe(true);
      expect(open.destroyed).toBe(true);
    }
  });
});
