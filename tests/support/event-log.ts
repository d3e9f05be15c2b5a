import { createPositionTokens, loadSecrets, type Pool } from '@alpenglow/infra';
import { Client } from 'pg';

export interface LoggedEvent {
  readonly position: bigint;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
}

/** Returns all events of the event store in order of their positions. It reads the database directly. */
export async function readEventLog(connectionString: string): Promise<readonly LoggedEvent[]> {
  const client = new Client({ connectionString });
  // The client emits an error event when the server ends. Without a listener, this event would end the test process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Omit<LoggedEvent, 'position'> & { position: string }>(
      'select position::text as position, id, stream, revision, type from es.events as e order by e.position',
    );
    return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
  } finally {
    await client.end();
  }
}

/** Returns the number of events in the log. */
export async function countEvents(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::integer as count from es.events');
  return rows[0]?.count ?? 0;
}

/**
 * Creates a function that returns the position in a token of a response or of a live message (decision 0060). It uses
 * the secrets of the product in `dataDir`.
 */
export async function createPositionReader(dataDir: string): Promise<(token: string) => bigint> {
  const tokens = createPositionTokens((await loadSecrets(dataDir)).accountIds);
  return (token) => {
    const [position] = tokens.openAll(token);
    if (position === undefined) throw new Error(`${token} is not a token of this product`);
    return BigInt(position);
  };
}

/** Returns the streams whose revisions are not 0, 1, 2 and so on. */
export function streamsWithGaps(log: readonly LoggedEvent[]): readonly string[] {
  const next = new Map<string, number>();
  const broken = new Set<string>();
  for (const { stream, revision } of log) {
    if (revision !== (next.get(stream) ?? 0)) broken.add(stream);
    next.set(stream, revision + 1);
  }
  return [...broken];
}

/** Returns the event types of each stream, in order. */
export function typesByStream(log: readonly LoggedEvent[]): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const { stream, type } of log) types.set(stream, [...(types.get(stream) ?? []), type]);
  return types;
}
