import { START_POSITION, type EventStore, type Position, type RecordedEvent, type StreamId } from '@alpenglow/domain';
import { createMemoryEventStore } from '@alpenglow/infra';
import { beforeEach, expect, test } from 'vitest';
import { createSharedPages, type LogReader } from '../src/rebuild/shared-pages.ts';

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

/** Reads until the end of the log, and returns the numbers of the events in the log, starting with 1. */
async function readToEnd(reader: LogReader): Promise<readonly number[]> {
  const until = await store.readHead();
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await reader.read({ until, isRepeat: false });
    if (page.length === 0) return events.map(({ revision }) => revision + 1);
    events.push(...page);
  }
}

test('reads each event once for several readers, each of which receives the events of its types', async () => {
  await append('A', 'B', 'A', 'C', 'C', 'C', 'C', 'B');
  const pages = createSharedPages({ store: counted }, { page_events: 2 });
  const readers = [['A'], ['B'], ['A', 'C'], ['D']].map((types) => pages.open(types));
  expect(await Promise.all(readers.map(readToEnd))).toEqual([[1, 3], [2, 8], [1, 3, 4, 5, 6, 7], []]);
  const full = reads.slice(0, 4);
  expect(new Set(full).size).toBe(4);
  // Only the end of the log is read by each reader.
  expect(new Set(reads.slice(4)).size).toBeLessThanOrEqual(1);
});

test('a repeated read returns the same events, read from the store again, also to the other readers', async () => {
  await append('A', 'A', 'A', 'A');
  const until = await store.readHead();
  const pages = createSharedPages({ store: counted }, { page_events: 2 });
  const [one, other] = [pages.open(['A']), pages.open(['A'])];
  const [first, second] = [await one.read({ until, isRepeat: false }), await one.read({ until, isRepeat: false })];
  expect(reads).toHaveLength(2);
  expect(await one.read({ until, isRepeat: true })).toEqual(second);
  expect(reads).toHaveLength(3);
  expect(await other.read({ until, isRepeat: false })).toEqual(first);
  expect(reads.filter((after) => after === START_POSITION)).toHaveLength(2);
  expect(await readToEnd(one)).toEqual([]);
  expect(await readToEnd(other)).toEqual([3, 4]);
});

test('a fast reader waits for a slow one, until the slow one reads on or is closed', async () => {
  await append(...Array.from({ length: 20 }, () => 'A'));
  const until = await store.readHead();
  const pages = createSharedPages({ store: counted }, { page_events: 2, max_events: 4 });
  const [fast, slow] = [pages.open(['A']), pages.open(['A'])];
  const received = readToEnd(fast);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(reads).toHaveLength(3);
  await slow.read({ until, isRepeat: false });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(reads).toHaveLength(4);
  slow.close();
  expect(await received).toHaveLength(20);
});

test('readers receive the events that are appended while they read', async () => {
  await append('A', 'A', 'A');
  const pages = createSharedPages({ store: counted }, { page_events: 2 });
  const [one, other] = [pages.open(['A']), pages.open(['A'])];
  expect(await readToEnd(one)).toEqual([1, 2, 3]);
  await append('A', 'A');
  expect(await readToEnd(other)).toEqual([1, 2, 3, 4, 5]);
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
  await expect(one.read({ until, isRepeat: false })).rejects.toThrow('unreachable');
  one.close();
  isFailing = false;
  expect(await other.read({ until, isRepeat: false })).toHaveLength(2);
});
