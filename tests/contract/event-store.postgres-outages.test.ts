import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  EventStoreUnavailable,
  START_POSITION,
  type EventToAppend,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { createPool, createPostgresEventStore, migrate } from '@alpenglow/infra';
import { startEmbeddedPostgres } from '@alpenglow/launcher/postgres';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { expectWholeHistory, takeEvents } from '../support/event-histories.ts';
import { someEvents, uniqueName } from '../support/events.ts';
import { MIGRATIONS_DIR } from '../support/database.ts';
import { openPostgresEventStore } from '../support/postgres-event-store.ts';
import { openTcpLink } from '../support/tcp-link.ts';
import { appendUntilAcknowledged, describeEventStoreOutages } from './event-store-outages.ts';

describeEventStoreOutages('Postgres', async () => {
  const { connectionString, openAnother, close } = await openPostgresEventStore();
  const { hostname, port } = new URL(connectionString);
  const link = await openTcpLink(Number(port), hostname);
  const proxied = new URL(connectionString);
  proxied.host = `127.0.0.1:${link.port}`;
  const pool = createPool({ connectionString: proxied.href, max: 4, applicationName: 'test' });
  const store = createPostgresEventStore({ pool, connectionString: proxied.href });
  return {
    store,
    direct: openAnother(),
    cut: () => link.cut(),
    restore: () => link.reopen(),
    async close() {
      await store.close();
      await pool.end();
      await link.close();
      await close();
    },
  };
});

describe('event store on Postgres, outages', () => {
  it('neither loses nor duplicates an event while connections of appends and subscriptions are cut', async () => {
    const fixture = await openPostgresEventStore();
    const [writers, appendsPerWriter, cutAfterAppends] = [12, 60, 48];
    const abort = new AbortController();
    const delivered = takeEvents(
      fixture.openAnother().subscribeAll({ after: START_POSITION, signal: abort.signal }),
      writers * appendsPerWriter,
    );
    let appends = 0;
    const terminator = new Client({ connectionString: fixture.connectionString });
    await terminator.connect();
    /** The last cut. A client of `pg` must not run two statements at the same time. */
    let cut: Promise<unknown> = Promise.resolve();
    const cutConnections = () => {
      cut = cut.then(() =>
        terminator.query(
          `select pg_terminate_backend(pid)
             from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`,
        ),
      );
      return cut;
    };

    async function write(): Promise<EventToAppend[]> {
      const stream = uniqueName('stream');
      const events = someEvents(appendsPerWriter);
      for (const [index, event] of events.entries()) {
        await appendUntilAcknowledged(fixture.store, stream, [event], index === 0 ? 'no-stream' : index - 1);
        appends += 1;
        if (appends % cutAfterAppends === 0) await cutConnections();
      }
      return events;
    }

    const written = await Promise.all(Array.from({ length: writers }, write));
    expectWholeHistory(await delivered, written);
    expectWholeHistory(await fixture.store.readAll({ after: START_POSITION }), written);
    abort.abort();
    await terminator.end();
    await fixture.close();
  });

  it('resumes automatically after a restart of Postgres', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'alpenglow-outage-'));
    let postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    const { connectionString } = postgres;
    await migrate(connectionString, { migrationsDir: MIGRATIONS_DIR });
    const pool = createPool({ connectionString, max: 2, applicationName: 'test' });
    const store = createPostgresEventStore({ pool, connectionString });

    const abort = new AbortController();
    const delivered: RecordedEvent[] = [];
    const subscription = takeEvents(
      (async function* () {
        for await (const batch of store.subscribeAll({ after: START_POSITION, signal: abort.signal })) {
          delivered.push(...batch);
          yield batch;
        }
      })(),
      20,
    );
    const before = someEvents(10);
    await store.append('stream' as StreamId, before, { expectedRevision: 'no-stream' });
    await expect.poll(() => delivered.length).toBe(10);

    await postgres.stop();
    const after = someEvents(10);
    await expect(store.append('stream' as StreamId, after, { expectedRevision: 9 })).rejects.toThrow(
      EventStoreUnavailable,
    );
    await expect(store.readStream('stream' as StreamId)).rejects.toThrow(EventStoreUnavailable);
    await expect(store.readHead()).rejects.toThrow(EventStoreUnavailable);

    postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    expect(postgres.connectionString).toBe(connectionString);
    await appendUntilAcknowledged(store, 'stream' as StreamId, after, 9);
    expectWholeHistory(await subscription, [[...before, ...after]]);

    abort.abort();
    await store.close();
    await pool.end();
    await postgres.stop();
    await rm(dirname(postgres.clusterDir), { recursive: true, force: true });
    await rm(dataDir, { recursive: true, force: true });
  });
});
