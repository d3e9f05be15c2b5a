import { PassThrough } from 'node:stream';
import {
  EventStoreUnavailable,
  InvalidAppend,
  START,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import {
  END,
  NO_STREAM,
  StreamNotFoundError,
  UnavailableError,
  WrongExpectedVersionError,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { checkAppend } from '../src/adapters/event-store-input.ts';
import { createAppender } from '../src/adapters/eventstoredb/appender.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { createReader, type Reader } from '../src/adapters/eventstoredb/reading.ts';
import { createStreamIds } from '../src/adapters/eventstoredb/stream-ids.ts';
import { subscribe } from '../src/adapters/eventstoredb/subscription.ts';
import { createLogger } from '../src/logger.ts';

// What the client answers here is written down beforehand. These tests say what the adapter makes of answers, not that a server gives them: that
// is for the contract suite on a real one (decision 0018).

const meta = {
  correlationId: 'c',
  causationId: null,
  actor: { kind: 'system', name: 'test' },
  at: '2026-11-21T12:00:00.000Z',
} as const;
const at = (commit: number): Position => toPosition({ commit: BigInt(commit), prepare: BigInt(commit) });
const unavailable = () => new UnavailableError({ message: '14 UNAVAILABLE: Connection dropped', code: 14 } as never);
const wrongRevision = () => new WrongExpectedVersionError(undefined, { streamName: 's', expected: 0n, current: 0n });

function anEvent(): EventToAppend {
  return { id: crypto.randomUUID(), type: 'AdPosted', version: 1, data: {}, meta };
}
const recorded = (event: EventToAppend, revision: number): RecordedEvent => ({
  ...event,
  stream: 's',
  revision,
  position: at(100 + revision),
});

describe('an append', () => {
  type Reply = { readonly revision: number; readonly commit?: number } | Error;

  /** An appender whose client gives these answers one after the other, over a stream that holds `held`. */
  function scripted(answers: readonly Reply[], held: RecordedEvent[] = []) {
    const sent: unknown[] = [];
    const read: number[] = [];
    const left = [...answers];
    const client = {
      appendToStream: async (
        _stream: string,
        _events: unknown,
        { expectedRevision }: { expectedRevision: unknown },
      ) => {
        sent.push(expectedRevision);
        const answer = left.shift();
        if (!answer || answer instanceof Error) throw answer ?? new Error('more was sent than there are answers');
        return {
          success: true,
          nextExpectedRevision: BigInt(answer.revision),
          position:
            answer.commit === undefined ? undefined : { commit: BigInt(answer.commit), prepare: BigInt(answer.commit) },
        };
      },
    } as unknown as EventStoreDBClient;
    const reader = {
      readStream: async (_stream: string, { from = 0, limit }: { from?: number; limit: number }) => {
        read.push(from);
        return held.filter(({ revision }) => revision >= from).slice(0, limit);
      },
    } as unknown as Reader;
    const ids = createStreamIds();
    const appender = createAppender(client, reader, ids);
    return {
      sent,
      read,
      held,
      ids,
      close: appender.close,
      append: (events: EventToAppend[], expected: ExpectedRevision, stream = 's') =>
        appender.append(checkAppend(stream, events, expected)),
    };
  }

  it('to a new stream is sent at once, and the next one knows the stream by then', async () => {
    const { append, sent, read } = scripted([
      { revision: 1, commit: 7 },
      { revision: 2, commit: 9 },
    ]);
    expect(await append([anEvent(), anEvent()], 'no-stream')).toEqual({ revision: 1, position: at(7) });
    expect(await append([anEvent()], 1)).toEqual({ revision: 2, position: at(9) });
    expect(sent).toEqual([NO_STREAM, 1n]);
    expect(read).toEqual([]);
  });

  it('to a stream that is not known reads it first, once', async () => {
    const held = [recorded(anEvent(), 0), recorded(anEvent(), 1)];
    const { append, sent, read } = scripted(
      [
        { revision: 2, commit: 9 },
        { revision: 3, commit: 10 },
      ],
      held,
    );
    await append([anEvent()], 1);
    await append([anEvent()], 2);
    expect(sent).toEqual([1n, 2n]);
    expect(read).toEqual([0]);
  });

  it('whose events are there already is not sent, and answered as before', async () => {
    const [first, second] = [anEvent(), anEvent()];
    const held = [recorded(first, 0), recorded(second, 1), recorded(anEvent(), 2)];
    for (const expected of [2, 1] as const) {
      const { append, sent } = scripted([], held);
      expect(await append([first, second], expected)).toEqual({ revision: 1, position: at(101) });
      expect(sent).toEqual([]);
    }
  });

  it('of events some of which are there is refused without being sent', async () => {
    const held = [recorded(anEvent(), 0), recorded(anEvent(), 1)];
    const { append, sent } = scripted([], held);
    await expect(append([anEvent(), held[1] as RecordedEvent], 1)).rejects.toThrow(InvalidAppend);
    expect(sent).toEqual([]);
  });

  it('the server refuses is a conflict with what is there then', async () => {
    const held = [recorded(anEvent(), 0), recorded(anEvent(), 1)];
    const { append } = scripted([wrongRevision(), wrongRevision(), wrongRevision()], held);
    await expect(append([anEvent()], 'no-stream')).rejects.toMatchObject({
      name: 'ConcurrencyConflict',
      expected: 'no-stream',
      actual: 1,
    });
    await expect(append([anEvent()], 5)).rejects.toMatchObject({ name: 'ConcurrencyConflict', expected: 5, actual: 1 });
    await expect(scripted([wrongRevision()]).append([anEvent()], 0)).rejects.toMatchObject({ actual: -1 });
  });

  it('the server refuses because it was the first of two answers that was lost is answered as the first', async () => {
    const event = anEvent();
    for (const expected of ['no-stream', 'any'] as const) {
      const { append, sent } = scripted([wrongRevision()], [recorded(event, 0), recorded(anEvent(), 1)]);
      expect(await append([event], expected)).toEqual({ revision: 0, position: at(100) });
      expect(sent).toEqual([NO_STREAM]);
    }
  });

  it('without an opinion is sent again behind whatever came between', async () => {
    const { append, sent, read, held } = scripted(
      [wrongRevision(), wrongRevision(), { revision: 3, commit: 9 }],
      [recorded(anEvent(), 0), recorded(anEvent(), 1)],
    );
    const appended = append([anEvent()], 'any');
    setTimeout(() => held.push(recorded(anEvent(), 2)), 0);
    await expect(appended).resolves.toMatchObject({ revision: 3 });
    expect(sent[0]).toBe(NO_STREAM);
    expect(sent.at(-1)).toBe(BigInt(held.length - 1));
    expect(read[0]).toBe(0);
  });

  it('that met a broken connection is sent again, with the same revision', async () => {
    const { append, sent } = scripted([unavailable(), unavailable(), { revision: 0, commit: 3 }]);
    expect(await append([anEvent()], 'no-stream')).toEqual({ revision: 0, position: at(3) });
    expect(sent).toEqual([NO_STREAM, NO_STREAM, NO_STREAM]);
    await expect(
      scripted([unavailable(), unavailable(), unavailable(), unavailable()]).append([anEvent()], 'no-stream'),
    ).rejects.toThrow(EventStoreUnavailable);
  });

  it('whose answer names no position asks the stream for it', async () => {
    const event = anEvent();
    const { append } = scripted([{ revision: 0 }], [recorded(event, 0)]);
    expect(await append([event], 'no-stream')).toEqual({ revision: 0, position: at(100) });
  });

  it('waits for those before it to the same stream, and for no other; too many are refused', async () => {
    const pending: (() => void)[] = [];
    const sentTo: string[] = [];
    const client = {
      appendToStream: (stream: string) => {
        sentTo.push(stream);
        return new Promise((resolve) =>
          pending.push(() =>
            resolve({ success: true, nextExpectedRevision: 0n, position: { commit: 1n, prepare: 1n } }),
          ),
        );
      },
    } as unknown as EventStoreDBClient;
    const appender = createAppender(client, {} as Reader, createStreamIds());
    const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
    const send = (stream: string) => appender.append(checkAppend(stream, [anEvent()], 'no-stream'));

    const first = [send('a'), send('a'), send('b')];
    await tick();
    expect(sentTo).toEqual(['a', 'b']);
    pending.splice(0).forEach((answer) => answer());
    await tick();
    expect(sentTo).toEqual(['a', 'b', 'a']);
    pending.splice(0).forEach((answer) => answer());
    await Promise.all(first);

    const many = Array.from({ length: 4_096 }, (_, index) => send(`s${index}`));
    await expect(send('one more')).rejects.toThrow('Too many appends');
    await tick();
    expect(sentTo.length).toBe(3 + 64);
    let isClosed = false;
    const closing = appender.close().then(() => (isClosed = true));
    await expect(send('late')).rejects.toThrow('closed');
    while (pending.length > 0) {
      expect(isClosed).toBe(false);
      pending.splice(0).forEach((answer) => answer());
      await tick();
    }
    expect((await Promise.all(many)).length).toBe(4_096);
    await closing;
  });

  it('does not let a fault of the one before it be its own', async () => {
    const { append } = scripted([new TypeError('a mistake'), { revision: 0, commit: 1 }]);
    const [first, second] = await Promise.allSettled([
      append([anEvent()], 'no-stream'),
      append([anEvent()], 'no-stream'),
    ]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });
});

interface Told {
  readonly commit: number;
  readonly type?: string;
  readonly streamId?: string;
}
const resolved = ({ commit, type = 'AdPosted', streamId = 's' }: Told) => ({
  event: {
    id: crypto.randomUUID(),
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

/** A stream as the client hands them out, which tells these events and then ends, or breaks with `fault`, or stays open. */
function told(events: readonly Told[], end: 'ends' | 'stays open' | Error = 'ends') {
  const stream = Object.assign(new PassThrough({ objectMode: true }), {
    isCancelled: false,
    cancel: async () => void (stream.isCancelled = true),
    unsubscribe: async () => void (stream.isCancelled = true),
  });
  for (const event of events) stream.write(resolved(event));
  if (end === 'ends') stream.end();
  else if (end !== 'stays open') setImmediate(() => stream.emit('error', end));
  return stream;
}

type Answer = () => ReturnType<typeof told>;
const tell =
  (...args: Parameters<typeof told>): Answer =>
  () =>
    told(...args);

describe('a read of all streams', () => {
  const log: Told[] = [
    { commit: 10, type: '$metadata' },
    { commit: 20 },
    { commit: 30, type: 'AdUpdated' },
    { commit: 35, streamId: '$settings' },
    { commit: 40 },
    { commit: 50, type: '$statsCollected' },
    { commit: 60, type: '$>' },
  ];

  function readerOver(events: Told[]) {
    const asked: { from: unknown; backwards: boolean }[] = [];
    const client = {
      readAll: ({ direction, fromPosition }: { direction?: string; fromPosition: unknown }) => {
        const backwards = direction === 'backwards';
        const first = typeof fromPosition === 'object' ? Number((fromPosition as { commit: bigint }).commit) : 0;
        const due = backwards ? events.toReversed() : events.filter(({ commit }) => commit >= first);
        asked.push({ from: fromPosition, backwards });
        return told(due);
      },
    } as unknown as EventStoreDBClient;
    return { asked, reader: createReader(client, new AbortController().signal) };
  }
  const commits = (events: readonly RecordedEvent[]) => events.map(({ position }) => Number(position.split('/')[0]));

  it("gives the events for readers behind a position, of the types asked for, up to a limit, and none of the server's own", async () => {
    const { reader } = readerOver(log);
    expect(commits(await reader.readAll(START, 10, undefined))).toEqual([20, 30, 40]);
    expect(commits(await reader.readAll(at(20), 10, undefined))).toEqual([30, 40]);
    expect(commits(await reader.readAll(START, 2, undefined))).toEqual([20, 30]);
    expect(commits(await reader.readAll(START, 10, ['AdPosted']))).toEqual([20, 40]);
    expect(await reader.readAll(START, 10, [])).toEqual([]);
    await expect(reader.readAll('1' as Position, 10, undefined)).rejects.toThrow(RangeError);
  });

  it('asks for nothing behind the head', async () => {
    const { reader, asked } = readerOver(log);
    expect(await reader.readAll(at(40), 10, undefined)).toEqual([]);
    expect(asked.map(({ backwards }) => backwards)).toEqual([true]);
  });

  it('has the last event for readers for its head, and looks at no stretch twice', async () => {
    const events = [...log];
    const { reader, asked } = readerOver(events);
    expect(await reader.head()).toBe(at(40));
    events.push(...Array.from({ length: 5 }, (_, index) => ({ commit: 70 + index, type: '$statsCollected' })));
    expect(await reader.head()).toBe(at(40));
    events.push({ commit: 90 }, { commit: 91, type: '$>' });
    expect(await reader.head()).toBe(at(90));
    expect(asked.every(({ from }) => from === END)).toBe(true);
    expect(await readerOver([{ commit: 1, type: '$metadata' }]).reader.head()).toBe(START);
    expect(await readerOver([]).reader.head()).toBe(START);
  });
});

describe('a read of a stream', () => {
  it('that is unknown is empty; a broken one is tried again from its beginning; other faults are told', async () => {
    const reader = (...answers: Answer[]) =>
      createReader(
        { readStream: () => answers.shift()?.() } as unknown as EventStoreDBClient,
        new AbortController().signal,
      );
    const page = { direction: 'forwards', from: undefined, limit: 10 } as const;
    expect(await reader(tell([], new StreamNotFoundError(undefined, 's'))).readStream('s', page)).toEqual([]);
    expect(
      (
        await reader(tell([{ commit: 1 }], unavailable()), tell([{ commit: 1 }, { commit: 2 }])).readStream('s', page)
      ).map(({ revision }) => revision),
    ).toEqual([1, 2]);
    await expect(reader(tell([], new TypeError('a mistake'))).readStream('s', page)).rejects.toThrow('a mistake');
  });
});

describe('a subscription', () => {
  const log = createLogger('silent');

  function subscribed(
    answers: Answer[],
    {
      after = START,
      types,
      head = async () => at(1_000),
    }: { after?: Position; types?: string[]; head?: () => Promise<Position> } = {},
  ) {
    const asked: unknown[] = [];
    const abort = new AbortController();
    const client = {
      subscribeToAll: ({ fromPosition }: { fromPosition: unknown }) => {
        asked.push(fromPosition);
        return (answers[asked.length - 1] ?? tell([], 'stays open'))();
      },
    } as unknown as EventStoreDBClient;
    return { asked, abort, batches: subscribe(client, { after, types, signal: abort.signal, log, head }) };
  }
  async function take(batches: AsyncIterable<readonly RecordedEvent[]>, count: number): Promise<number[]> {
    const seen: number[] = [];
    for await (const batch of batches) {
      seen.push(...batch.map(({ revision }) => revision));
      if (seen.length >= count) break;
    }
    return seen;
  }

  it('goes on from the last event it handed over, however it broke, and passes over one that is told again', async () => {
    const { batches, asked } = subscribed([
      tell([{ commit: 1 }, { commit: 2 }, { commit: 3, type: '$>' }], unavailable()),
      tell([{ commit: 2 }, { commit: 4 }]),
      tell([], unavailable()),
      tell([{ commit: 5 }], 'stays open'),
    ]);
    expect(await take(batches, 4)).toEqual([1, 2, 4, 5]);
    expect(asked).toEqual([
      'start',
      { commit: 2n, prepare: 2n },
      { commit: 4n, prepare: 4n },
      { commit: 4n, prepare: 4n },
    ]);
  });

  it('hands over the types asked for', async () => {
    const { batches } = subscribed(
      [
        tell(
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

  it('ends with an error rather than telling an event out of order', async () => {
    const { batches } = subscribed([tell([{ commit: 5 }, { commit: 4 }], 'stays open')]);
    await expect(take(batches, 2)).rejects.toThrow('told');
  });

  it('ends with a RangeError, and asks the server for nothing, where it is to begin beyond the last event', async () => {
    const { batches, asked } = subscribed([], { after: at(51), head: async () => at(50) });
    await expect(take(batches, 1)).rejects.toThrow(RangeError);
    expect(asked).toEqual([]);
    expect(
      await take(
        subscribed([tell([{ commit: 51 }], 'stays open')], { after: at(50), head: async () => at(50) }).batches,
        1,
      ),
    ).toEqual([51]);
  });

  it('looks for the last event through outages, once, and no longer than it is wanted', async () => {
    let looks = 0;
    const head = async () => {
      looks += 1;
      if (looks < 3) throw new EventStoreUnavailable('away');
      return at(50);
    };
    const { batches } = subscribed([tell([{ commit: 51 }], unavailable()), tell([{ commit: 52 }], 'stays open')], {
      after: at(50),
      head,
    });
    expect(await take(batches, 2)).toEqual([51, 52]);
    expect(looks).toBe(3);

    const { batches: left, abort } = subscribed([], { after: at(50), head: () => new Promise(() => undefined) });
    setTimeout(() => abort.abort(), 20);
    expect(await take(left, 1)).toEqual([]);
  });

  it('ends its call on the server when it is aborted or left', async () => {
    for (const leave of ['abort', 'break'] as const) {
      const open = told([{ commit: 1 }], 'stays open');
      const { batches, abort } = subscribed([() => open]);
      const seen = take(batches, leave === 'break' ? 1 : 2);
      if (leave === 'abort') setTimeout(() => abort.abort(), 20);
      expect(await seen).toEqual([1]);
      expect(open.isCancelled).toBe(true);
      expect(open.destroyed).toBe(true);
    }
  });
});
