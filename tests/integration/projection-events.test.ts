import { findEventDefinition, toStreamId, type DomainEvent, type EventStore, type Position } from '@alpenglow/domain';
import { createLogger, createPool, createPostgresEventStore, type Pool } from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection, runProjection } from '@alpenglow/projectors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SAMPLES } from '../../projectors/test/samples.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sampleOf } from '../support/sample.ts';

let database: TestDatabase;
let pool: Pool;
let store: EventStore;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({
    connectionString: database.connectionString,
    max: 2 * PROJECTIONS.length + 4,
    applicationName: 'test',
  });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

/** Returns the id of the object that an event belongs to, such as an ad or a thread. */
function subjectIdOf(data: DomainEvent['data']): string {
  if ('adId' in data) return data.adId;
  if ('mediaId' in data) return data.mediaId;
  if ('threadId' in data) return data.threadId;
  if ('articleId' in data) return data.articleId;
  if ('reportId' in data) return data.reportId;
  if ('requestId' in data) return data.requestId;
  if ('projection' in data) return data.projection;
  if ('ruleId' in data) return data.ruleId;
  if ('pictureId' in data) return data.pictureId;
  if ('jobId' in data) return data.jobId;
  if ('accountId' in data) return data.accountId;
  if ('caseId' in data) return data.caseId;
  if ('subjectId' in data) return data.subjectId;
  if ('kind' in data) return data.kind;
  throw new Error(`The event has no subject id: ${JSON.stringify(data)}`);
}

let written = 0;
async function write({ type, data }: DomainEvent): Promise<Position> {
  const at = new Date(Date.UTC(2026, 0, 1) + (written += 1) * 60_000).toISOString();
  const version = findEventDefinition(type)?.version ?? 1;
  const event = {
    id: crypto.randomUUID(),
    type,
    version,
    data,
    meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at },
  } as const;
  const stream = toStreamId({ name: 'samples' }, subjectIdOf(data));
  return (await store.append(stream, [event], { expectedRevision: 'any' })).position;
}

/**
 * Runs all projections until they have processed the event log up to a position. Then stops them, which simulates a
 * process that runs and ends.
 */
async function runUntil(position: Position): Promise<void> {
  const stop = new AbortController();
  const running = PROJECTIONS.map((projection) =>
    runProjection(projection, { store, pool, log: createLogger('silent') }, stop.signal),
  );
  await eventually(
    async () => {
      const { rowCount } = await pool.query('select from rm.checkpoints where position >= $1', [position]);
      expect(rowCount).toBe(PROJECTIONS.length);
    },
    { interval_ms: 20 },
  );
  stop.abort();
  await Promise.all(running);
}

/** Returns all rows of all read models, including the tables of counts. */
async function readAllRows(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select tablename as name
       from pg_tables
      where schemaname = 'rm' and tablename not in ('checkpoints', 'parked_events')`,
  );
  const dumped = tables.map(async ({ name }) => {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from rm.${name} t order by 1`);
    return [name, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(dumped));
}

test('after events of every type, a second run and a rebuild result in the same rows of every read model', async () => {
  const events = Object.values(SAMPLES);
  const checkedEvents = new Set(sampleOf(events, 8));
  for (const event of events) {
    const position = await write(event);
    if (!checkedEvents.has(event)) continue;
    await runUntil(position);
    const first = await readAllRows();
    await runUntil(position);
    expect(await readAllRows(), `${event.type}, run twice`).toEqual(first);
    for (const projection of PROJECTIONS)
      if (event.type in projection.on) await rebuildProjection(projection, { store, pool });
    expect(await readAllRows(), `${event.type}, rebuilt`).toEqual(first);
  }
  const { rows: parked } = await pool.query('select projection, event_type, error from rm.parked_events');
  expect(parked).toEqual([]);
});
