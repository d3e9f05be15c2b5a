import type { EventStore, Position, RecordedEvent, StreamId } from '@alpenglow/domain';
import { startEventSpans, waitUnlessAborted, type Pool, type PoolClient } from '@alpenglow/infra';
import { parkedEvent, type ParkedEvent } from '../apply-batch.ts';
import type { Dependencies } from '../dependencies.ts';
import { followLog, type LogConsumer } from '../follow-log.ts';
import { eventsAt, type ParkedPosition } from '../replay/retry-parked-events.ts';

/**
 * A consumer that does something about single events, such as a reactor. Its parked events are retried, so it must
 * tolerate that an event is handled twice.
 */
export interface Reaction extends Pick<LogConsumer, 'name' | 'types' | 'start' | 'onStart'> {
  /**
   * True if the events of a stream do not depend on each other. Later events of a stream with a parked event then do
   * not wait for it.
   */
  readonly isUnordered?: boolean;
  /** Returns the function for the events of one page, so that they can share data that is read for them. */
  startPage(): React;
}

/**
 * Reacts to an event. Returns the error if the reaction to this event is not possible now. The event, and with
 * `isUnordered` false all later events of its stream, are then parked. Rejects if a backing service fails.
 */
type React = (recorded: RecordedEvent) => Promise<Error | null>;

type ReactionDependencies = Dependencies<'store' | 'pool' | 'log'>;

/** The interval at which the parked events are searched for those whose retry is due. */
const POLL_ms = 2_000;
/** The maximum number of streams that are retried per poll, so that their events delay no other work for long. */
const MAX_STREAMS = 100;
/** Each wait between two retries is as long as the time since the event was parked, within these limits. */
const SHORTEST_WAIT = '10 seconds';
const LONGEST_WAIT = '10 minutes';

/**
 * Reacts to new events until `signal` aborts, and retries parked events. Rejects if the database, the store or another
 * backing service fails. The duty is then started again from its checkpoint. An event whose reaction is not possible is
 * parked, which means that it is stored with its error. The later events of its stream wait, so that the reactions to a
 * stream run in order, unless the reaction is unordered.
 */
export async function runReaction(reaction: Reaction, deps: ReactionDependencies, signal: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const endBoth = (error: unknown) => {
    failed.abort();
    throw error;
  };
  const consumer: LogConsumer = {
    ...reaction,
    handle: async (events) => ({ parked: await reactInOrder(reaction, deps.pool, events) }),
  };
  await Promise.all([
    followLog(consumer, deps, ended).catch(endBoth),
    retryPeriodically(reaction, deps, ended).catch(endBoth),
  ]);
}

/** Reacts to events in order. Returns the events that must be parked. */
async function reactInOrder(
  { name, startPage, isUnordered = false }: Reaction,
  pool: Pool,
  events: readonly RecordedEvent[],
): Promise<readonly ParkedEvent[]> {
  if (events.length === 0) return [];
  const react = startPage();
  const waiting = isUnordered ? new Set<StreamId>() : await findWaiting(name, pool, events);
  const parked: ParkedEvent[] = [];
  for (const recorded of events) {
    // If the earlier event is retried at this moment, this event waits for the next retry.
    const isWaiting = waiting.has(recorded.stream);
    const span = startEventSpans(`react ${name}`, [recorded]);
    const error = isWaiting ? null : await react(recorded);
    span?.end({ hasFailed: isWaiting || error !== null });
    if (!isWaiting && error === null) continue;
    if (!isUnordered) waiting.add(recorded.stream);
    parked.push(parkedEvent(recorded, error && String(error)));
  }
  return parked;
}

/** Returns the streams of these events that have parked events. */
async function findWaiting(name: string, pool: Pool, events: readonly RecordedEvent[]): Promise<Set<StreamId>> {
  const { rows } = await pool.query<{ stream: StreamId }>({
    name: 'reaction-parked-streams',
    text: 'select distinct stream from rm.parked_events where projection = $1 and stream = any($2)',
    values: [name, [...new Set(events.map(({ stream }) => stream))]],
  });
  return new Set(rows.map(({ stream }) => stream));
}

async function retryPeriodically(reaction: Reaction, deps: ReactionDependencies, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const stream of await findDueStreams(reaction, deps.pool)) {
      if (signal.aborted) return;
      await retryReactions(reaction, deps, stream);
    }
    await waitUnlessAborted(POLL_ms, signal);
  }
}

async function findDueStreams({ name }: Reaction, pool: Pool): Promise<readonly StreamId[]> {
  const { rows } = await pool.query<{ stream: StreamId }>({
    name: 'reaction-due-streams',
    text: `select stream from (
             select distinct on (stream) stream, position, retry_at from rm.parked_events
              where projection = $1 order by stream, position) as first
            where retry_at is null or retry_at <= now() order by position limit ${MAX_STREAMS}`,
    values: [name],
  });
  return rows.map(({ stream }) => stream);
}

/**
 * The outcome of a retry of the parked events of a stream. `rejected`: the reaction to an event is still not possible.
 * `failed`: it is unknown whether the reaction is possible, because a backing service failed.
 */
type RetryOutcome = 'done' | 'rejected' | 'failed';

/**
 * Retries the reactions to the parked events of a stream, in order. Ends at the first event whose reaction is still not
 * possible, and plans its next retry. An unordered reaction tries the later events, too. A failure does not stop the
 * reactions to other streams, so it is logged and not thrown. Rejects only if the database fails that stores the parked
 * events.
 */
export async function retryReactions(
  { name, startPage, isUnordered = false }: Reaction,
  { store, pool, log }: ReactionDependencies,
  stream: StreamId,
): Promise<RetryOutcome> {
  const { rows: parked } = await pool.query<ParkedPosition>(
    'select position, revision from rm.parked_events where projection = $1 and stream = $2 order by position',
    [name, stream],
  );
  let current: Position | undefined = parked[0]?.position;
  let outcome: RetryOutcome = 'done';
  const found = new Set<Position>();
  try {
    for await (const page of eventsAt(store, stream, parked)) {
      for (const recorded of page) {
        current = recorded.position;
        found.add(current);
        const error = await startPage()(recorded);
        if (error) {
          await postpone(pool, name, stream, current, String(error));
          outcome = 'rejected';
          if (isUnordered) continue;
          return outcome;
        }
        await pool.query('delete from rm.parked_events where projection = $1 and position = $2', [name, current]);
        log.info({ reactor: name, position: current, type: recorded.type }, 'parked event handled');
      }
    }
    const missing = parked.filter(({ position }) => !found.has(position));
    for (const { position } of await findForeign(store, stream, missing)) {
      await pool.query('delete from rm.parked_events where projection = $1 and position = $2', [name, position]);
      log.info({ reactor: name, position }, 'parked event of another application deleted');
    }
    return outcome;
  } catch (err) {
    log.warn({ err, reactor: name, stream }, 'parked event not retried');
    if (current !== undefined) await postpone(pool, name, stream, current, null);
    return 'failed';
  }
}

/**
 * Returns the parked events that are events of another application, which only an earlier build has parked (decision
 * 0113): the log has an event at the position, and a later read of the stream at its revision does not return it. Ends
 * at the first event that the log does not have now, because a node may be behind.
 */
async function findForeign(
  store: Pick<EventStore, 'findEventId' | 'readStream'>,
  stream: StreamId,
  missing: readonly ParkedPosition[],
): Promise<readonly ParkedPosition[]> {
  const foreign: ParkedPosition[] = [];
  for (const parked of missing) {
    const { position, revision } = parked;
    if (revision === null) continue;
    if ((await store.findEventId(position, null)) === null) break;
    const [event] = await store.readStream(stream, { from: revision, limit: 1 });
    if (event?.position !== position) foreign.push(parked);
  }
  return foreign;
}

/** Plans the next retry of a stream. With `error`, also stores it as the reason of the first event. */
async function postpone(
  pool: Pool,
  name: string,
  stream: StreamId,
  position: Position,
  error: string | null,
): Promise<void> {
  await pool.query(
    `update rm.parked_events
        set retry_at = now() + least(interval '${LONGEST_WAIT}',
                                     greatest(interval '${SHORTEST_WAIT}', now() - parked_at)),
            error = coalesce($4, error)
      where projection = $1 and stream = $2 and position = $3`,
    [name, stream, position, error],
  );
}

/**
 * Plans an immediate retry of all reactions to the stream of a parked event, because an admin has requested a retry of
 * this event for a projection. Runs in the caller's transaction.
 */
export async function requestReactions(client: PoolClient, position: Position): Promise<void> {
  await client.query(
    `update rm.parked_events set retry_at = null
      where stream in (select stream from rm.parked_events where position = $1) and retry_at is not null`,
    [position],
  );
}
