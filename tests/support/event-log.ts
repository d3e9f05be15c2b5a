import { Client } from 'pg';

export interface LoggedEvent {
  readonly position: bigint;
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
    const { rows } = await client.query<{ position: string; stream: string; revision: number; type: string }>(
      'select position::text as position, stream, revision, type from es.events as e order by e.position',
    );
    return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
  } finally {
    await client.end();
  }
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
