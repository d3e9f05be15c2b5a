import { expect } from 'vitest';
import type { EventStore, StreamId } from '@alpenglow/domain';
import { someEvents, uniqueName } from './events.ts';
import { eventually } from './eventually.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from './postgres-event-store.ts';

/** Opens event stores for tests that copy events. `closeAll` closes all of them. */
export interface EventStoreFactory {
  open(): Promise<PostgresEventStoreFixture>;
  closeAll(): Promise<void>;
}

export function createEventStoreFactory(): EventStoreFactory {
  const opened: PostgresEventStoreFixture[] = [];
  return {
    async open() {
      const store = await openPostgresEventStore();
      opened.push(store);
      return store;
    },
    async closeAll() {
      for (const fixture of opened.splice(0)) await fixture.close();
    },
  };
}

/**
 * Returns every event of the database as text. Leaves out the positions, because copied events have other positions.
 */
export async function eventRowsOf({ pool }: PostgresEventStoreFixture): Promise<readonly string[]> {
  const { rows } = await pool.query<{ row: string }>(
    `select concat_ws('|', stream, revision, id, type, version, data::text, meta::text) as row
       from es.events
      order by position`,
  );
  return rows.map(({ row }) => row);
}

export const countEvents = async ({ pool }: PostgresEventStoreFixture): Promise<number> =>
  Number((await pool.query<{ count: string }>('select count(*) from es.events')).rows[0]?.count);

/**
 * Makes every append to a store slow, so that a copy into the store takes longer than a busy test needs to act during
 * the copy. Returns a function that ends this.
 */
export async function slowDownAppends({ pool }: PostgresEventStoreFixture): Promise<() => Promise<void>> {
  await pool.query(
    `create function es.slow_down() returns trigger language plpgsql as
       'begin perform pg_sleep(0.01); return null; end';
     create trigger slow_down after insert on es.events for each statement execute function es.slow_down()`,
  );
  return async () => void (await pool.query('drop trigger slow_down on es.events; drop function es.slow_down()'));
}

export async function waitUntil(check: () => Promise<boolean>): Promise<void> {
  await eventually(async () => expect(await check()).toBe(true), { interval_ms: 20 });
}

/** Appends events to seven streams in turn, so that consecutive events belong to different streams. */
export async function appendEvents(store: EventStore, appends: number, eventsPerAppend = 1): Promise<void> {
  const streams = Array.from({ length: 7 }, () => uniqueName('s'));
  for (let n = 0; n < appends; n += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, appends - n) }, (_, place) =>
        store.append((streams[(n + place) % streams.length] ?? '') as StreamId, someEvents(eventsPerAppend), {
          expectedRevision: 'any',
        }),
      ),
    );
  }
}
