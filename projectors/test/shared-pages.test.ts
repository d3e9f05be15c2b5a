import { START_POSITION, type EventStore, type Position, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { beforeEach, expect, test } from 'vitest';
import { createSharedPages, type LogReader } from '../src/rebuild/shared-pages.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

let store: EventStore;
/** The first positions of the pages that were read. */
let reads: Position[];
let counted: Pick<EventStore, 'readAll'>;

beforeEach(() => {
  store = createMemoryEventStore();
  reads = [];
  counted = {
    readAll(options) {
      reads.push(options.after);
      return store.readAll(options);
    },
  };
});

async function append(...types: readonly string[]): Promise<void> {
  const meta = {
    correlationId: 'c',
    causationId: null,
    actor: { kind: 'system', name: 'test' },
    at: '2026-01-01',
  } as const;
  const events = types.map((type) => ({ id: crypto.randomUUID(), type, version: 1, data: {}, meta }));
  await store.append('stream-1' as StreamId, events, { expectedRevision: 'any' });
}

/** Returns the events of the next page. */
async function read(reader: LogReader, until: Position, isRepeat = false): Promise<readonly RecordedEvent[]> {
  return (await reader.read({ until, isRepeat })).events;
}

/** Reads until the end of the log, and returns the numbers of the events in the log, starting with 1. */
async function readToEnd(reader: LogReader): Promise<readonly number[]> {
  const until = await store.readHead();
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await reader.read({ until, isRepeat: false });
    events.push(...page.events);
    if (page.isEnd) return events.map(({ revision }) => revision + 1);
  }
}

/** Waits until everything that can continue without time or other calls has done so. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

test('reads each event once for several readers, each of which receives the events of its types', async () => {
  await append('A', 'B', 'A', 'C', 'C', 'C', 'C', 'B');
  const pages = createSharedPages({ store: counted }, { page_events: 2 });
  const readers = [['A'], ['B'], ['A', 'C'], ['D']].map((types) => pages.open(types));
  expect(await Promise.all(readers.map(readToEnd))).toEqual([[1, 3], [2, 8], [1, 3, 4, 5, 6, 7], []]);
  expect(reads).toHaveLength(4);
});

test('a repeated read returns the same events, read from the store again, also to the other readers', async () => {
  await append('A', 'A', 'A', 'A');
  const until = await store.readHead();
  const pages = createSharedPages({ store: counted }, { page_events: 2 });
  const [one, other] = [pages.open(['A']), pages.open(['A'])];
  const [first] = await Promise.all([read(one, until), read(other, until)]);
  const second = await read(one, until);
  expect(reads).toHaveLength(2);
  expect(await read(one, until, true)).toEqual(second);
  expect(reads).toHaveLength(3);
  expect(await read(other, until, true)).toEqual(first);
  expect(reads.filter((after) => after === START_POSITION)).toHaveLength(2);
  expect(await readToEnd(other)).toEqual([3, 4]);
});

test('no page is read before each open reader reads', async () => {
  await append('A', 'A');
  const until = await store.readHead();
  const pages = createSharedPages({ store: counted });
  const [one, other, closed] = [pages.open(['A']), pages.open(['A']), pages.open(['A'])];
  const first = read(one, until);
  closed.close();
  await settle();
  expect(reads).toHaveLength(0);
  expect(await read(other, until)).toHaveLength(2);
  expect(await first).toHaveLength(2);
});

test('a fast reader waits for a slow one, until the slow one reads on or is closed', async () => {
  await append(...Array.from({ length: 20 }, () => 'A'));
  const until = await store.readHead();
  const pages = createSharedPages({ store: counted }, { page_events: 2, max_events: 4 });
  const [fast, slow] = [pages.open(['A']), pages.open(['A'])];
  const received = readToEnd(fast);
  await read(slow, until);
  await settle();
  const before = reads.length;
  expect(before).toBeLessThan(6);
  await read(slow, until);
  await settle();
  expect(reads).toHaveLength(before + 1);
  slow.close();
  expect(await received).toHaveLength(20);
});

test('a reader that is closed while it reads or waits receives an empty last page', async () => {
  await append(...Array.from({ length: 20 }, () => 'A'));
  const until = await store.readHead();
  const pages = createSharedPages({ store: counted }, { page_events: 2, max_events: 4 });
  const [slow, fast, reading] = [pages.open(['A']), pages.open(['B']), pages.open(['B'])];
  const pending = reading.read({ until, isRepeat: false });
  const received = readToEnd(fast);
  await read(slow, until);
  reading.close();
  expect(await reading.read({ until, isRepeat: false })).toEqual({ events: [], isEnd: true });
  expect((await pending).events).toEqual([]);
  await settle();
  fast.close();
  expect(await received).toEqual([]);
});

test('a waiting reader ends when its signal aborts', async () => {
  await append('A', 'A');
  const until = await store.readHead();
  const pages = createSharedPages({ store });
  const [one] = [pages.open(['A']), pages.open(['A'])];
  const stopped = new AbortController();
  const pending = one.read({ until, isRepeat: false, signal: stopped.signal });
  stopped.abort();
  await expect(pending).rejects.toThrow('aborted');
});

test('readers receive the events that are appended while they read', async () => {
  await append('A', 'A', 'A');
  const pages = createSharedPages({ store: counted }, { page_events: 2 });
  const [one, other] = [pages.open(['A']), pages.open(['A'])];
  const until = await store.readHead();
  expect(await Promise.all([readToEnd(one), read(other, until)])).toMatchObject([[1, 2, 3], { length: 2 }]);
  await append('A', 'A');
  expect(await readToEnd(other)).toEqual([3, 4, 5]);
  expect(await readToEnd(one)).toEqual([4, 5]);
});

test('a failed read concerns only the readers that wait for it, and is repeated for the next one', async () => {
  await append('A', 'A');
  const until = await store.readHead();
  let isFailing = true;
  const readAll: EventStore['readAll'] = async (options) => {
    if (isFailing) throw new Error('unreachable');
    return store.readAll(options);
  };
  const pages = createSharedPages({ store: { readAll } });
  const [one, other] = [pages.open(['A']), pages.open(['A'])];
  await Promise.all([one, other].map((reader) => expect(read(reader, until)).rejects.toThrow('unreachable')));
  one.close();
  isFailing = false;
  expect(await read(other, until)).toHaveLength(2);
});
