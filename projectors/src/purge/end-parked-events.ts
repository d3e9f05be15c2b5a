import type { RecordedEvent, StreamId } from '@alpenglow/domain';
import { accountIdOfKey, findAccountStreams, findKeyId, withPersonalData } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { Projection } from '../projection.ts';
import { retryReactions, type Reaction } from '../reactors/reactions.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { eventsAt, retryParkedEvents, type ParkedPosition } from '../replay/retry-parked-events.ts';
import { readSkippedEventIds } from '../skipped-events.ts';

interface ParkedRow extends ParkedPosition {
  readonly name: string;
  readonly stream: StreamId;
}

/**
 * Ends the parked events of an erased account whose keys are destroyed. They were parked because a key was lost, and
 * now have replacement values. Projections apply them, and reactions run. A reaction that is still not possible is
 * dropped, because its account no longer exists. Returns `later` if a reaction failed because a backing service did, so
 * that it must be tried again. The other parked events have then ended nevertheless. Rejects if `signal` aborts.
 */
export async function endParkedEvents(
  accountId: string,
  projections: readonly Projection[],
  reactions: readonly Reaction[],
  { pool, sealedStore, dataKeys, log }: Dependencies<'pool' | 'sealedStore' | 'dataKeys' | 'log'>,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  const store = withPersonalData(sealedStore, dataKeys);
  const { own: named, others } = await findAccountStreams(accountId, { pool, sealedStore }, signal);
  const { rows } = await pool.query<ParkedRow>(
    `select projection as name, stream, position, revision from rm.parked_events p
      where stream = any($1)
        and exists (select from rm.parked_events u where u.projection = p.projection and u.stream = p.stream
                      and u.error like 'UnreadableEventError:%')
      order by position`,
    [[...named, ...others]],
  );
  const isOwn = (event: RecordedEvent) => accountIdOfKey(findKeyId(event) ?? '') === accountId;
  const groups = new Map<string, { readonly name: string; readonly stream: StreamId; readonly parked: ParkedRow[] }>();
  for (const row of rows) {
    const { name, stream } = row;
    const group = groups.get(`${name} ${stream}`);
    if (group) group.parked.push(row);
    else groups.set(`${name} ${stream}`, { name, stream, parked: [row] });
  }
  let result: 'done' | 'later' = 'done';
  for (const { name, stream, parked } of groups.values()) {
    signal.throwIfAborted();
    const own: RecordedEvent[] = [];
    for await (const page of eventsAt(sealedStore, stream, parked)) own.push(...page.filter(isOwn));
    if (own.length === 0) continue;
    const projection = projections.find((candidate) => candidate.name === name);
    const reaction = reactions.find((candidate) => candidate.name === name);
    if (projection) {
      const skipped = await readSkippedEventIds(store, projection);
      await inReadModelTransaction(pool, (client) =>
        retryParkedEvents(client, store, projection, 'live', stream, skipped),
      );
    } else if (reaction) {
      const outcome = await retryReactions(reaction, { pool, store, log }, stream);
      if (outcome === 'failed') result = 'later';
      if (outcome !== 'rejected') continue;
      const { rowCount } = await pool.query(
        'delete from rm.parked_events where projection = $1 and position = any($2)',
        [name, own.map(({ position }) => position)],
      );
      if (rowCount) log.warn({ reactor: name, stream, events: rowCount }, 'parked events of an erased account dropped');
    }
  }
  return result;
}
