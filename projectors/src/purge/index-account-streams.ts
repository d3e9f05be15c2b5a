import {
  comparePositions,
  person,
  toStreamId,
  type EventStore,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import {
  ACCOUNT_STREAM_TYPES,
  ACCOUNT_STREAMS,
  findConcernedAccount,
  isOwnStream,
  readStreamPages,
  whileWaiting,
  type PoolClient,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { CheckpointMoved } from '../checkpoints/checkpoints.ts';
import { followLog } from '../follow-log.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { removeRebuildErasures } from '../rebuild/rebuild-erasures.ts';

const ERASURE_COMPLETED = 'ErasureCompleted';

/** A change of the index: streams of accounts to add, or an account whose erasure is complete. */
interface Change {
  readonly added: readonly { readonly accountId: string; readonly stream: StreamId; readonly position: Position }[];
  /** The account to remove after the addition, and the position of the end of its erasure. */
  readonly erased: { readonly accountId: string; readonly position: Position } | null;
}

/**
 * Maintains the index from accounts to the streams with their data (`rm.account_streams`), until `signal` aborts. The
 * first run reads the whole log in batches, and continues after a restart. The rows change in the transaction that
 * moves the checkpoint. After a failover or a restore, the rows of lost events are deleted. The index is personal data
 * of the account, so the rows of an account are deleted when its erasure is complete. Rejects if the database or the
 * store fails. The duty is then started again.
 */
export async function runAccountStreams(
  { pool, sealedStore, log }: Dependencies<'pool' | 'sealedStore' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await followLog(
    {
      name: ACCOUNT_STREAMS,
      types: [...ACCOUNT_STREAM_TYPES, ERASURE_COMPLETED],
      async onStart({ position }) {
        await inReadModelTransaction(pool, async (client) => {
          // Another process may run the duty, too. The rows after its checkpoint must not be deleted.
          const { rowCount } = await client.query(
            'select from rm.checkpoints where name = $1 and position = $2 for update',
            [ACCOUNT_STREAMS, position],
          );
          if (rowCount !== 1) throw new CheckpointMoved(`Checkpoint of ${ACCOUNT_STREAMS} is not at its start`);
          await client.query('delete from rm.account_streams where position > $1', [position]);
        });
      },
      async handle(events) {
        const changes = toChanges(events);
        if (changes.length === 0) return {};
        return {
          async alsoInTransaction(client) {
            for (const { added, erased } of changes) {
              await add(client, added);
              if (erased) await remove(client, erased.accountId, erased.position, sealedStore, signal);
            }
          },
        };
      },
    },
    { store: sealedStore, pool, log },
    signal,
  );
}

function toChanges(events: readonly RecordedEvent[]): readonly Change[] {
  const changes: Change[] = [];
  let added: Change['added'][number][] = [];
  for (const event of events) {
    const { stream, position, type } = event;
    if (type === ERASURE_COMPLETED) {
      const { accountId } = event.data as { readonly accountId: string };
      changes.push({ added, erased: { accountId, position } });
      added = [];
      continue;
    }
    const accountId = findConcernedAccount(event);
    if (accountId !== null && !isOwnStream(accountId, stream)) added.push({ accountId, stream, position });
  }
  if (added.length > 0) changes.push({ added, erased: null });
  return changes;
}

async function add(client: PoolClient, added: Change['added']): Promise<void> {
  if (added.length === 0) return;
  await client.query({
    name: 'account-streams-add',
    text: `insert into rm.account_streams (account_id, stream, position)
           select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing`,
    values: [
      added.map(({ accountId }) => accountId),
      added.map(({ stream }) => stream),
      added.map(({ position }) => position),
    ],
  });
}

/**
 * Removes the streams of an erased account, and its requests to rebuilds. A new account may have signed up with the
 * same address during the erasure. The streams with its data remain in the index.
 */
async function remove(
  client: PoolClient,
  accountId: string,
  completedAt: Position,
  store: Pick<EventStore, 'readStream'>,
  signal: AbortSignal,
): Promise<void> {
  const finding = findRetirement(accountId, completedAt, store, signal);
  const retiredAt = (await whileWaiting(client, finding)) ?? completedAt;
  const { rows } = await client.query<{ stream: StreamId }>(
    'select stream from rm.account_streams where account_id = $1 and position <= $2',
    [accountId, retiredAt],
  );
  const erased: StreamId[] = [];
  for (const { stream } of rows)
    if (!(await whileWaiting(client, hasLaterData(accountId, stream, retiredAt, store, signal)))) erased.push(stream);
  await client.query('delete from rm.account_streams where account_id = $1 and stream = any($2)', [accountId, erased]);
  // A purge that was interrupted may have left a request to a rebuild.
  await removeRebuildErasures(client, accountId);
}

/** Returns the position at which the last erasure before `completedAt` has retired the keys of the account. */
async function findRetirement(
  accountId: string,
  completedAt: Position,
  store: Pick<EventStore, 'readStream'>,
  signal: AbortSignal,
): Promise<Position | null> {
  let found: Position | null = null;
  for await (const page of readStreamPages(store, toStreamId(person, accountId), { signal }))
    for (const { type, data, position } of page) {
      const { step } = data as { readonly step?: unknown };
      if (type === 'ErasureStepDone' && step === 'keys_retired' && comparePositions(position, completedAt) < 0)
        found = position;
    }
  return found;
}

async function hasLaterData(
  accountId: string,
  stream: StreamId,
  after: Position,
  store: Pick<EventStore, 'readStream'>,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const page of readStreamPages(store, stream, { signal }))
    if (page.some((event) => comparePositions(event.position, after) > 0 && findConcernedAccount(event) === accountId))
      return true;
  return false;
}
