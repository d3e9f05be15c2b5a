// @ts-check
// @ts-nocheck The packages of this folder are installed only for the benchmark.
/**
 * The event stores that `npm run bench:peers` compares with ours, each behind the same small interface (`PeerStore` in
 * `../peer-store.ts`). This folder has its own dependencies, which the benchmark installs on demand.
 */
import { randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { AppendConditionError, Query, Tags } from '@dcb-es/event-store';
import {
  ensureHandlersInstalled,
  PostgresEventStore,
  runHandler,
  waitUntilProcessed,
  WaitTimeoutError,
} from '@dcb-es/event-store-postgres';
import { isExpectedVersionConflictError, STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore, readMessagesBatch } from '@event-driven-io/emmett-postgresql';
import { dumbo } from '@event-driven-io/dumbo';
import pg from 'pg';

const PAGE = 1_000;
const BIGINT = 20;
/** The driver's default: a `bigint` is a text. Emmett changes it for the whole process. */
const DEFAULT_TYPES = {
  getTypeParser: (oid, format) => (oid === BIGINT ? String : pg.types.getTypeParser(oid, format)),
};
/** The rows that the projections of the benchmark fill. */
const ROWS_TABLE = 'create table bench_rows (ad_id text primary key, title text not null, changes integer not null)';
/** Adds a batch of changes to the rows. `$1` are the ad ids, `$2` the titles and `$3` the numbers of changes. */
const ADD_ROWS = `insert into bench_rows as known select * from unnest($1::text[], $2::text[], $3::integer[])
  on conflict (ad_id) do update set title = excluded.title, changes = known.changes + excluded.changes`;

/** The stores by name. Each function opens a store in an empty or already used database. */
export const STORES = { 'emmett-postgresql': openEmmett, 'dcb-es': openDcb, 'message-db': openMessageDb };

/** Opens a pool. The end of Postgres closes the connections that a store still has, which is not an error here. */
function openPool(options) {
  const pool = new pg.Pool(options);
  pool.on('error', () => undefined);
  return pool;
}

async function openEmmett(connectionString, { connections, isNew }) {
  const pool = openPool({ connectionString, max: connections });
  const store = getPostgreSQLEventStore(connectionString, {
    connectionOptions: { pool },
    schema: { autoMigration: 'None' },
  });
  if (isNew) await store.schema.migrate();
  const toEvent = ({ type, data, meta }) => ({ type, data, metadata: meta });
  const reader = dumbo({ connectionString });
  async function* pages() {
    for (let after = 0n; ; ) {
      const { messages, currentGlobalPosition } = await readMessagesBatch(reader.execute, { after, batchSize: PAGE });
      if (messages.length > 0) yield messages;
      if (messages.length < PAGE) return;
      after = currentGlobalPosition;
    }
  }
  return {
    async appendNew(event) {
      await store.appendToStream(`ad-${randomUUID()}`, [toEvent(event)], {
        expectedStreamVersion: STREAM_DOES_NOT_EXIST,
      });
    },
    async appendIf(event, version) {
      try {
        const { nextExpectedStreamVersion } = await store.appendToStream('ad-contended', [toEvent(event)], {
          expectedStreamVersion: version ?? STREAM_DOES_NOT_EXIST,
        });
        return { isAppended: true, version: nextExpectedStreamVersion };
      } catch (error) {
        if (!isExpectedVersionConflictError(error)) throw error;
        const { rows } = await pool.query(
          `select stream_position from emt_streams where stream_id = 'ad-contended' and is_archived = false`,
        );
        return { isAppended: false, version: rows[0] ? BigInt(rows[0].stream_position) : null };
      }
    },
    async fill(events) {
      await store.appendToStream(`ad-${randomUUID()}`, events.map(toEvent));
    },
    readAll: () => countAll(pages()),
    // The reads of its consumers, without their further work, which makes them slower.
    rebuild: () => rebuildFrom(pool, pages(), ({ data, metadata }) => ({ ...data, position: metadata.globalPosition })),
    async close() {
      await store.close();
      await reader.close();
      await pool.end().catch(() => undefined);
    },
  };
}

async function openDcb(connectionString, { connections, isNew }) {
  const pool = openPool({ connectionString, max: connections, types: DEFAULT_TYPES });
  const store = new PostgresEventStore({ pool });
  if (isNew) await store.ensureInstalled();
  const toEvent = ({ type, data, meta }, stream) => ({ type, tags: Tags.fromObj({ stream }), data, metadata: meta });
  const conditionOf = (stream, after) => ({
    failIfEventsMatch: Query.fromItems([{ types: ['AdUpdated'], tags: Tags.fromObj({ stream }) }]),
    ...(after !== null && { after }),
  });
  return {
    async appendNew(event) {
      const stream = randomUUID();
      await store.append({ events: toEvent(event, stream), condition: conditionOf(stream, null) });
    },
    async appendIf(event, version) {
      try {
        const position = await store.append({
          events: toEvent(event, 'contended'),
          condition: conditionOf('contended', version),
        });
        return { isAppended: true, version: position };
      } catch (error) {
        if (!(error instanceof AppendConditionError)) throw error;
        const query = Query.fromItems([{ types: ['AdUpdated'], tags: Tags.fromObj({ stream: 'contended' }) }]);
        for await (const { position } of store.read(query, { backwards: true, limit: 1 }))
          return { isAppended: false, version: position };
        return { isAppended: false, version: null };
      }
    },
    async fill(events) {
      const stream = randomUUID();
      await store.append({ events: events.map((event) => toEvent(event, stream)) });
    },
    async readAll() {
      let count = 0;
      for await (const _ of store.read(Query.all())) count += 1;
      return count;
    },
    async rebuild(limit_ms) {
      await pool.query('drop table if exists bench_rows');
      await pool.query(ROWS_TABLE);
      const handlerName = `rows_${randomUUID()}`;
      await ensureHandlersInstalled(pool, [handlerName], '_handler_bookmarks');
      const stop = new AbortController();
      let count = 0;
      const { promise } = runHandler({
        pool,
        eventStore: store,
        handlerName,
        handlerFactory: (client) => ({
          when: {
            async AdUpdated({ event }) {
              count += 1;
              await client.query(ADD_ROWS, toRows([event.data]));
            },
          },
        }),
        signal: stop.signal,
      });
      let last;
      for await (const { position } of store.read(Query.all(), { backwards: true, limit: 1 })) last = position;
      // The handler commits each event, so it is stopped after the limit. It is measured by the events until then.
      await waitUntilProcessed(pool, handlerName, last, { timeoutMs: limit_ms }).catch((error) => {
        if (!(error instanceof WaitTimeoutError)) throw error;
      });
      stop.abort();
      await promise;
      return count;
    },
    close: () => pool.end(),
  };
}

async function openMessageDb(connectionString, { connections, isNew }) {
  const options = '-c search_path=message_store,public';
  const pool = openPool({ connectionString, max: connections, options, types: DEFAULT_TYPES });
  if (isNew) await installMessageDb(pool);
  const write = (event, stream, expected) =>
    pool.query({
      name: 'write',
      text: 'select write_message($1, $2, $3, $4, $5, $6) as version',
      values: [event.id, stream, event.type, JSON.stringify(event.data), JSON.stringify(event.meta), expected],
    });
  async function* pages() {
    for (let from = 1n; ; ) {
      const { rows } = await pool.query({
        name: 'read',
        text: 'select global_position, type, data, metadata from get_category_messages($1, $2, $3)',
        values: ['ad', from, PAGE],
      });
      if (rows.length > 0) {
        // The functions return JSON as text. A reader has to parse it.
        yield rows.map(({ data, metadata, ...row }) => ({
          ...row,
          data: JSON.parse(data),
          metadata: JSON.parse(metadata),
        }));
        from = BigInt(rows.at(-1).global_position) + 1n;
      }
      if (rows.length < PAGE) return;
    }
  }
  return {
    async appendNew(event) {
      await write(event, `ad-${randomUUID()}`, -1);
    },
    async appendIf(event, version) {
      try {
        const { rows } = await write(event, 'ad-contended', version ?? -1);
        return { isAppended: true, version: rows[0].version };
      } catch (error) {
        if (!String(error).includes('Wrong expected version')) throw error;
        const { rows } = await pool.query(`select stream_version('ad-contended') as version`);
        return { isAppended: false, version: rows[0].version };
      }
    },
    async fill(events) {
      await pool.query(
        `select write_message(id, $2, type, data::jsonb, meta::jsonb)
           from unnest($1::text[], $3::text[], $4::text[], $5::text[]) as event (id, type, data, meta)`,
        [
          events.map(({ id }) => id),
          `ad-${randomUUID()}`,
          events.map(({ type }) => type),
          events.map(({ data }) => JSON.stringify(data)),
          events.map(({ meta }) => JSON.stringify(meta)),
        ],
      );
    },
    readAll: () => countAll(pages()),
    rebuild: () => rebuildFrom(pool, pages(), ({ data, global_position: position }) => ({ ...data, position })),
    close: () => pool.end(),
  };
}

async function countAll(pages) {
  let count = 0;
  for await (const page of pages) count += page.length;
  return count;
}

/**
 * Fills the rows from pages of events, for stores without projections that are at least as fast. Each page is one
 * transaction, which also stores the position. Returns the number of events.
 */
async function rebuildFrom(pool, pages, toAd) {
  await pool.query('drop table if exists bench_rows, bench_positions');
  await pool.query(ROWS_TABLE);
  await pool.query('create table bench_positions (name text primary key, position bigint not null)');
  let count = 0;
  for await (const page of pages) {
    const ads = page.map(toAd);
    const client = await pool.connect();
    await client.query('begin');
    await client.query(ADD_ROWS, toRows(ads));
    await client.query(
      `insert into bench_positions values ('rows', $1)
       on conflict (name) do update set position = excluded.position`,
      [String(ads.at(-1).position)],
    );
    await client.query('commit');
    client.release();
    count += page.length;
  }
  return count;
}

/** Runs the SQL files of message-db, like its shell script, which needs `psql`. */
async function installMessageDb(pool) {
  const folder = path.join(
    path.dirname(createRequire(import.meta.url).resolve('@eventide/message-db/package.json')),
    'database',
  );
  const run = async (file) => pool.query(await readFile(path.join(folder, file), 'utf8'));
  for (const file of ['schema/message-store.sql', 'tables/messages.sql', 'types/message.sql']) await run(file);
  const functions = (await readdir(path.join(folder, 'functions'))).map((file) => `functions/${file}`);
  for (const file of functions) await run(file);
  for (const file of await readdir(path.join(folder, 'indexes'))) await run(`indexes/${file}`);
}

/** Returns the arguments of `ADD_ROWS`, with one row for each ad. */
function toRows(ads) {
  const rows = new Map();
  for (const { adId, title } of ads) rows.set(adId, { title, changes: (rows.get(adId)?.changes ?? 0) + 1 });
  return [
    [...rows.keys()],
    [...rows.values()].map(({ title }) => title),
    [...rows.values()].map(({ changes }) => changes),
  ];
}
