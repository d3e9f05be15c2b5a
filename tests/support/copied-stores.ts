import { expect } from 'vitest';
import type { EventStore } from '@alpenglow/domain';
import { someEvents, uniqueName } from './events.ts';
import { eventually } from './eventually.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from './postgres-event-store.ts';

/** Event stores to copy between; whoever opened them closes them all. */
export interface OpenedStores {
  open(): Promise<PostgresEventStoreFixture>;
  closeAll(): Promise<void>;
}

export function openedStores(): OpenedStores {
  const opened: PostgresEventStoreFixture[] = [];
  return {
    async open() {
      const store = await openPostgresEventStore();
      opened.push(store);
      return store;
    },
    async closeAll() {
      for (const one of opened.splice(0)) await one.close();
    },
  };
}

/** All there is of every event but its position, as the database has it. */
export async function rowsOf({ pool }: PostgresEventStoreFixture): Promise<readonly string[]> {
  const { rows } = await pool.query<{ row: string }>(
    `select concat_ws('|', stream, revision, id, type, version, data::text, meta::text) as row from es.events order by position`,
  );
  return rows.map(({ row }) => row);
}

export const countOf = async ({ pool }: PostgresEventStoreFixture): Promise<number> =>
  Number((await pool.query<{ count: string }>('select count(*) from es.events')).rows[0]?.count);

export async function waitUntil(check: () => Promise<boolean>): Promise<void> {
  await eventually(async () => expect(await check()).toBe(true), { interval_ms: 20 });
}

/** Events of a few streams in turn, so that few neighbours belong together. */
export async function fill(store: EventStore, appends: number, eventsPerAppend = 1): Promise<void> {
  const streams = Array.from({ length: 7 }, () => uniqueName('s'));
  for (let n = 0; n < appends; n += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, appends - n) }, (_, place) =>
        store.append(streams[(n + place) % streams.length] ?? '', someEvents(eventsPerAppend), {
          expectedRevision: 'any',
        }),
      ),
    );
  }
}
