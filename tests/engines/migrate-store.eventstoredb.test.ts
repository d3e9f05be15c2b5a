import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someEvents, uniqueName } from '../support/events.ts';
import { contentsOf } from '../support/installation.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { buildTools, type Tools } from '../support/tools.ts';

/** From Postgres to EventStoreDB and back by the command. The server must be empty before: a store with other events is refused. */

/** Not `EVENTSTORE_URL`: this test writes, and that may name a store in use. */
const url = process.env['TEST_EVENTSTORE_URL'];
if (url === undefined) test.skip('EventStoreDB, moving events there and back: not run, TEST_EVENTSTORE_URL is not set');
else describe('moving events to EventStoreDB and back', () => movesBetween(url));

function movesBetween(address: string): void {
  let tools: Tools;
  let source: PostgresEventStoreFixture;
  let target: PostgresEventStoreFixture;
  beforeAll(async () => {
    [tools, source, target] = [await buildTools(), await openPostgresEventStore(), await openPostgresEventStore()];
  });
  afterAll(async () => {
    await Promise.all([tools.remove(), source.close(), target.close()]);
  });

  test('keeps every event with its id, order, time and metadata', async () => {
    const streams = Array.from({ length: 5 }, () => uniqueName('moved'));
    for (let n = 0; n < 500; n += 1)
      await source.store.append(streams[n % streams.length] ?? '', someEvents((n % 3) + 1), {
        expectedRevision: 'any',
      });
    for (const [from, to] of [
      [source.connectionString, address],
      [address, target.connectionString],
    ] as const) {
      expect(await tools.run('migrate-store', ['--from', from, '--to', to], {})).toMatchObject({ code: 0 });
    }
    expect((await contentsOf(target.connectionString)).events).toEqual(
      (await contentsOf(source.connectionString)).events,
    );
  });
}
