import { setTimeout as pause } from 'node:timers/promises';
import {
  EventStoreUnavailable,
  START_POSITION,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CONNECTION_LOST,
  startEventStoreServer,
  type EventStoreServer,
} from '../../tests/support/event-store-server/server.ts';
import { anEvent, uniqueName } from '../../tests/support/events.ts';
import type { ReceivedEvent } from '../src/adapters/eventstoredb/envelope.ts';
import { openEventStoreDb } from '../src/adapters/eventstoredb/event-store.ts';
import { createLongReads } from '../src/adapters/eventstoredb/long-reads.ts';
import { toPosition } from '../src/adapters/eventstoredb/positions.ts';
import { createLogger } from '../src/service/logger.ts';

// These tests check on the gRPC server of the tests that the pages of a long read share one call of the server.

const log = createLogger('silent');
const PAGE = 250;
const HOUR_ms = 3_600_000;
/** The time after which a call without a further page ends (`long-reads.ts`). */
const IDLE_ms = 2_000;
/** The longest time that the end of the client waits for the end of its calls (`client.ts`). */
const DISPOSE_ms = 1_000;
let server: EventStoreServer;
const stores: EventStore[] = [];
beforeEach(async () => {
  server = await startEventStoreServer();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  server.close();
});

async function open(streamPrefix = ''): Promise<EventStore> {
  const store = await openEventStoreDb(server.url, { log, streamPrefix });
  stores.push(store);
  return store;
}

/** Appends events of two types in turn. Returns their ids. */
async function fill(store: EventStore, count: number): Promise<readonly string[]> {
  const events = Array.from({ length: count }, (_, number) =>
    anEvent({ type: number % 2 === 0 ? 'AdPosted' : 'AdUpdated' }),
  );
  for (let from = 0; from < count; from += 500)
    await store.append(uniqueName('listing'), events.slice(from, from + 500), { expectedRevision: 'no-stream' });
  return events.map(({ id }) => id);
}

interface Reading {
  readonly types?: readonly string[];
  /** Called after each page. */
  readonly onPage?: (page: readonly RecordedEvent[], number: number) => unknown;
}

/** Reads the log in pages until a page is empty. Returns the ids, and the number of reads that the server received. */
async function readPages(store: EventStore, { types, onPage }: Reading = {}) {
  const before = server.counts.reads;
  const ids: string[] = [];
  let after: Position = START_POSITION;
  for (let number = 1; ; number += 1) {
    const page = await store.readAll({ after, limit: PAGE, ...(types && { types }) });
    await onPage?.(page, number);
    ids.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (!last) return { ids, reads: server.counts.reads - before };
    after = last.position;
  }
}

describe('a read of many pages', () => {
  it('needs few calls, and returns each event once, in order', async () => {
    for (const prefix of ['', 'shop-']) {
      const store = await open(prefix);
      const ids = await fill(store, 40 * PAGE);
      const all = await readPages(store);
      expect(all.ids.slice(-ids.length)).toEqual(ids);
      expect(all.reads).toBeLessThan(10);
      const posted = await readPages(store, { types: ['AdPosted'] });
      expect(posted.ids.slice(-ids.length / 2)).toEqual(ids.filter((_, number) => number % 2 === 0));
      expect(posted.reads).toBeLessThan(10);
    }
  });

  it('skips the events of other applications', async () => {
    const store = await open();
    const ids: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      ids.push(...(await fill(store, 300)));
      for (let count = 0; count < 200; count += 1) server.writeForeign({ stream: 'order-1', type: 'AdPosted' });
    }
    expect((await readPages(store)).ids).toEqual(ids);
    expect((await readPages(store, { types: ['AdPosted', 'AdUpdated'] })).ids).toEqual(ids);
  });

  it('returns events that are appended meanwhile', async () => {
    const store = await open();
    const ids = [...(await fill(store, 4 * PAGE))];
    const onPage = async (page: readonly RecordedEvent[], number: number) => {
      if (page.length > 0 && number < 12) ids.push(...(await fill(store, 100)));
    };
    expect((await readPages(store, { onPage })).ids).toEqual(ids);
  });

  it('continues if its call fails between two pages', async () => {
    const store = await open();
    const ids = await fill(store, 12 * PAGE);
    const onPage = async (_page: unknown, number: number) => {
      if (number === 3) await server.restart();
      await pause(5);
    };
    expect((await readPages(store, { onPage })).ids).toEqual(ids);
  });

  it('continues if its call fails within a page', async () => {
    const store = await open();
    const ids = await fill(store, 6 * PAGE);
    let calls = 0;
    server.behavior.onRead = () => ((calls += 1) % 3 === 0 ? CONNECTION_LOST : null);
    expect((await readPages(store)).ids).toEqual(ids);
  });

  it('can be made by several readers at the same time, at different or the same positions', async () => {
    const store = await open();
    const ids = await fill(store, 20 * PAGE);
    const readers = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => {
        await pause(number * 3);
        return readPages(store, { onPage: () => pause(number % 3) });
      }),
    );
    for (const reader of readers) expect(reader.ids).toEqual(ids);
  });

  it('does not return events that the log has lost after a restore', async () => {
    const store = await open();
    const ids = await fill(store, 10 * PAGE);
    const pages: (readonly RecordedEvent[])[] = [];
    let after: Position = START_POSITION;
    for (let number = 0; number < 3; number += 1) {
      const page = await store.readAll({ after, limit: PAGE });
      pages.push(page);
      after = page.at(-1)?.position ?? after;
    }
    const firstLost = server.log.from(Number(after.split('/')[0]) + 1)[10];
    await server.restore(firstLost?.commit ?? 0);
    await pause(50);
    const rest = await store.readAll({ after, limit: PAGE });
    expect(rest.map(({ id }) => id)).toEqual(ids.slice(3 * PAGE, 3 * PAGE + 10));
  });

  it('does not return lost events either if the server has already sent all events', async () => {
    for (const left of [1, 2, 3, 10]) {
      const store = await open();
      const first = await store.readHead();
      const ids = await fill(store, 2 * PAGE + left * 50);
      let after = first;
      for (let number = 0; number < 2; number += 1)
        after = (await store.readAll({ after, limit: PAGE })).at(-1)?.position ?? after;
      // The server has time to send all further events.
      await pause(50);
      const firstLost = server.log.from(Number(after.split('/')[0]) + 1)[10];
      await server.restore(firstLost?.commit ?? 0);
      await pause(50);
      const rest = await store.readAll({ after, limit: PAGE });
      expect(rest.map(({ id }) => id)).toEqual(ids.slice(2 * PAGE, 2 * PAGE + 10));
    }
  });

  it('does not delay the end of the store, also if the server has already sent all events', async () => {
    // The end must need neither the limit of an idle call nor that of the end. Both are so long that the test would
    // hang.
    const later = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((handler: () => void, wait_ms?: number, ...args: []) =>
      later(handler, wait_ms === IDLE_ms || wait_ms === DISPOSE_ms ? HOUR_ms : wait_ms, ...args),
    );
    for (const left of [0, 100, 499, 505, 600, 2_000]) {
      const store = await open();
      let after = await store.readHead();
      await fill(store, 2 * PAGE + left);
      for (let number = 0; number < 2; number += 1)
        after = (await store.readAll({ after, limit: PAGE })).at(-1)?.position ?? after;
      await pause(50);
      await store.close();
    }
  });

  it('ends its call if no further page is requested', async () => {
    const store = await open();
    await fill(store, 4 * PAGE);
    const first = await store.readAll({ after: START_POSITION, limit: PAGE });
    const after = first.at(-1)?.position ?? START_POSITION;
    const second = await store.readAll({ after, limit: PAGE });
    await pause(2_200);
    const before = server.counts.reads;
    // The call has ended, so this page needs a new one.
    expect(await store.readAll({ after: second.at(-1)?.position ?? after, limit: PAGE })).toHaveLength(PAGE);
    expect(server.counts.reads).toBeGreaterThan(before);
  });
});

describe('a page of a long read', () => {
  const at = (number: number) => toPosition({ commit: BigInt(number), prepare: BigInt(number) });
  const received = (number: number) => ({ id: String(number), position: at(number) }) as unknown as ReceivedEvent;
  const limit = 200;

  /**
   * Reads a page of a long read whose first batch has 100 events. `next` is called for each further one. Returns the
   * page, and whether the read was ended.
   */
  async function readPage(next: (breakConnection: () => void) => readonly ReceivedEvent[]) {
    let isBroken = false;
    let isEnded = false;
    async function* batches(): AsyncGenerator<readonly ReceivedEvent[]> {
      try {
        yield Array.from({ length: 100 }, (_, index) => received(300 + index));
        for (;;) yield next(() => (isBroken = true));
      } finally {
        isEnded = true;
      }
    }
    const closing = new AbortController();
    const reads = createLongReads(() => ({ batches: batches(), isBroken: () => isBroken }), closing.signal, {
      isOwn: () => true,
      toRecordedEvent: ({ id }, position) => ({ id, position }) as RecordedEvent,
    });
    const full = Array.from({ length: limit }, (_, index) => ({ position: at(100 + index) }) as RecordedEvent);
    reads.noteEnd(full, limit, undefined);
    const reading = reads.readPage(at(299), limit, undefined);
    await Promise.allSettled([reading]);
    await pause(1);
    const page = await reading;
    return { page, isEnded: () => isEnded };
  }

  it('has the events of several batches', async () => {
    const { page, isEnded } = await readPage(() => Array.from({ length: 100 }, (_, index) => received(400 + index)));
    expect(page.events.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, index) => String(300 + index)));
    expect(isEnded()).toBe(false);
  });

  it('has no events of a connection that broke before the page was complete', async () => {
    for (const next of [
      (breakConnection: () => void) => {
        breakConnection();
        return Array.from({ length: 100 }, (_, index) => received(400 + index));
      },
      () => {
        throw new Error('The connection has broken');
      },
    ]) {
      const { page, isEnded } = await readPage(next);
      expect(page).toEqual({ events: [], last: at(299) });
      expect(isEnded()).toBe(true);
    }
  });

  it('is not read again if the server does not respond in time', async () => {
    const failing = readPage(() => {
      throw new EventStoreUnavailable('The event store does not respond');
    });
    await expect(failing).rejects.toThrow(EventStoreUnavailable);
  });
});
