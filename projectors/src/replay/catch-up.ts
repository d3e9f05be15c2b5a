import { comparePositions, type Position, type RecordedEvent } from '@alpenglow/domain';
import type { PoolClient } from '@alpenglow/infra';
import { applyBatch } from '../apply-batch.ts';
import { parkedStreamsOf, recordParked } from '../checkpoints.ts';
import { parkedNameOf, type Build, type Projection } from '../projection.ts';
import type { RebuildDependencies } from '../rebuild.ts';
import { skippedEventsOf } from '../skipped-events.ts';
import { inReadModelTransaction } from '../transaction.ts';
import { applyParked } from './apply-parked.ts';

type Beside = Exclude<Build, 'live'>;

/** The tables beside the live ones are not where they were left: somebody has made others, or brought them further. */
export class MovedBeside extends Error {
  override readonly name = 'MovedBeside';
}

const PAGE_events = 500;

/** Where tables beside the live ones say how far they are; a position there means that everything up to it is in them. */
const PLACES: Readonly<Record<Beside, string>> = { rebuild: 'rm.rebuilds', previous: 'rm.previous_versions' };

/**
 * Brings whole tables beside the live ones, from `from` on, up to where the store ends now, or to `until`. Rows and position change in one
 * transaction, so that whoever is killed in between goes on from there. Answers the new position. Throws `MovedBeside`.
 */
export async function catchUp(
  projection: Projection,
  build: Beside,
  { store, pool }: RebuildDependencies,
  from: Position,
  { until, signal }: { readonly until?: Position; readonly signal: AbortSignal },
): Promise<Position> {
  const skipped = await skippedEventsOf(store, projection.name);
  await settleSkipped(projection, build, { store, pool }, skipped);
  const end = until ?? (await store.head());
  const types = Object.keys(projection.on);
  for (let position = from; ; ) {
    signal.throwIfAborted();
    const page = (await store.readAll({ after: position, limit: PAGE_events, types })).filter(
      (event) => comparePositions(event.position, end) <= 0,
    );
    const isLast = page.length < PAGE_events;
    // Of events of other types there is nothing to handle.
    const to = isLast ? (comparePositions(position, end) < 0 ? end : position) : (page.at(-1)?.position ?? position);
    if (to !== position)
      await inReadModelTransaction(pool, (client) =>
        applyAndMove(
          client,
          projection,
          build,
          page.filter(({ id }) => !skipped.has(id)),
          position,
          to,
        ),
      );
    if (isLast) return to;
    position = to;
  }
}

async function applyAndMove(
  client: PoolClient,
  projection: Projection,
  build: Beside,
  page: readonly RecordedEvent[],
  from: Position,
  to: Position,
): Promise<void> {
  const { rowCount } = await client.query(
    `update ${PLACES[build]} set position = $3 where projection = $1 and position = $2`,
    [projection.name, from, to],
  );
  if (rowCount !== 1)
    throw new MovedBeside(`Tables beside those of ${projection.name} are not at ${from || 'the start'}`);
  const name = parkedNameOf(projection, build);
  await recordParked(
    client,
    name,
    await applyBatch(client, projection, build, page, await parkedStreamsOf(client, name)),
  );
}

/** What these tables have set aside, and was left out for good since. */
async function settleSkipped(
  projection: Projection,
  build: Beside,
  { store, pool }: RebuildDependencies,
  skipped: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await pool.query<{ stream: string }>(
    'select distinct stream from rm.parked_events where projection = $1 and event_id = any($2)',
    [parkedNameOf(projection, build), [...skipped]],
  );
  for (const { stream } of rows)
    await inReadModelTransaction(pool, (client) => applyParked(client, store, projection, build, stream, skipped));
}
