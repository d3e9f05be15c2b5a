import type { StreamId } from '@alpenglow/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventStoreUrl } from '../support/event-store-url.ts';
import { someEvents, uniqueName } from '../support/events.ts';
import { readContents } from '../support/installation.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { buildTools, type Tools } from '../support/tools.ts';

/**
 * Moves events from Postgres to EventStoreDB and back with the command `migrate-store`. The command rejects a target
 * with other events of ours, so the streams have a prefix that no earlier test has used.
 */

const url = eventStoreUrl;
if (url === undefined) test.skip('EventStoreDB, moving events there and back: not run, no server');
else describe('moving events to EventStoreDB and back', () => testMoves(url));

function testMoves(address: string): void {
  let tools: Tools;
  let source: PostgresEventStoreFixture;
  let target: PostgresEventStoreFixture;
  const env = { EVENTSTORE_STREAM_PREFIX: `${uniqueName('moved')}-` };
  beforeAll(async () => {
    [tools, source, target] = [await buildTools(), await openPostgresEventStore(), await openPostgresEventStore()];
  });
  afterAll(async () => {
    await Promise.all([tools.remove(), source.close(), target.close()]);
  });

  test('preserves every event with its id, order, time and metadata', async () => {
    const streams = Array.from({ length: 5 }, () => uniqueName('moved'));
    for (let n = 0; n < 500; n += 1)
      await source.store.append((streams[n % streams.length] ?? '') as StreamId, someEvents((n % 3) + 1), {
        expectedRevision: 'any',
      });
    for (const [from, to] of [
      [source.connectionString, address],
      [address, target.connectionString],
    ] as const) {
      expect(await tools.run('migrate-store', ['--from', from, '--to', to], env)).toMatchObject({ code: 0 });
    }
    expect((await readContents(target.connectionString)).events).toEqual(
      (await readContents(source.connectionString)).events,
    );
  });
}
