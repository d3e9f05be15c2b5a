import type { Pool, PoolClient } from 'pg';

/** The end of the write-ahead log (WAL) of the primary server. */
export interface WalEnd {
  /** Identifies the run of the server: a promotion, a restart and a restore change it. */
  readonly server: string;
  /** The number of bytes before the end. */
  readonly lsn: bigint;
}

/** The name of the row in `ops.read_model_uses` that proves that a replica follows the primary server. */
const MARK_NAME = 'read-replicas';
const MARK_VERSION = 0;
/**
 * The number of values of the mark that a process accepts. All processes write the same row, and a replica that is
 * behind may still have an earlier value.
 */
const MAX_MARKS = 10;
const PAGE_bytes = 8_192n;
const PAGE_HEADER_bytes = 24n;
const SEGMENT_HEADER_bytes = 40n;

/** Identifies the run of a server. */
const SERVER_RUN = 'extract(epoch from pg_postmaster_start_time())::text';

/** The SQL expression for a WAL position as a number of bytes. */
export const bytesOf = (lsn: string): string => `coalesce(${lsn} - '0/0'::pg_lsn, 0)::text`;

export const MARK_QUERY = {
  name: 'replica-mark-read',
  text: `select extract(epoch from used_at)::text as value from ops.read_model_uses
          where name = '${MARK_NAME}' and version = ${MARK_VERSION}`,
};

export type PrimaryWal = ReturnType<typeof createPrimaryWal>;

/**
 * Creates the functions that read the WAL of the primary server. `pool` connects to this server.
 *
 * WAL positions can only be compared within one history. After a promotion or a restore, the same position has other
 * content. A replica follows the current history only if it has the mark: a row that a process with this pool wrote
 * since the server was started.
 */
export function createPrimaryWal(pool: Pool) {
  let running: Promise<WalEnd> | null = null;
  let next: Promise<WalEnd> | null = null;
  let mark: { readonly server: string; readonly lsn: bigint; readonly values: readonly string[] } | null = null;

  function start(): Promise<WalEnd> {
    const started = read();
    running = started;
    const clear = () => {
      if (running === started) running = null;
    };
    started.then(clear, clear);
    return started;
  }

  async function read(): Promise<WalEnd> {
    // Projections commit asynchronously, so their commits are visible before they are written. The function for the
    // written position would therefore not include them.
    const { rows } = await pool.query<{ lsn: string; server: string; segment: string }>({
      name: 'wal-end',
      text: `select ${bytesOf('pg_current_wal_insert_lsn()')} as lsn, ${SERVER_RUN} as server,
                    pg_size_bytes(current_setting('wal_segment_size'))::text as segment`,
    });
    const { lsn = '0', server = '', segment = '0' } = rows[0] ?? {};
    return { server, lsn: toEndOfRecord(BigInt(lsn), BigInt(segment)) };
  }

  function readEnd(): Promise<WalEnd> {
    if (!running) return start();
    const startNext = () => {
      next = null;
      return start();
    };
    next ??= running.then(startNext, startNext);
    return next;
  }

  return {
    /**
     * Reads the end of the WAL with a query that starts after this call. It includes every commit that was visible
     * before the call. Concurrent calls share a query. Rejects if the server is unreachable or is not a primary server.
     */
    readEnd,
    /** Writes the mark if this process has not written it since the server was started. Otherwise reads it again. */
    async refreshMark(): Promise<void> {
      if (mark?.server === (await readEnd()).server) {
        const { rows } = await pool.query<{ value: string }>(MARK_QUERY);
        const { value } = rows[0] ?? {};
        if (value === undefined || mark.values.includes(value)) return;
        mark = { ...mark, lsn: (await readEnd()).lsn, values: [...mark.values, value].slice(-MAX_MARKS) };
        return;
      }
      const { rows } = await pool.query<{ value: string; server: string }>({
        name: 'replica-mark-write',
        text: `insert into ops.read_model_uses (name, version, used_at)
               values ('${MARK_NAME}', ${MARK_VERSION}, clock_timestamp())
               on conflict (name, version) do update set used_at = excluded.used_at
               returning extract(epoch from used_at)::text as value, ${SERVER_RUN} as server`,
      });
      const { value = '', server = '' } = rows[0] ?? {};
      mark = { server, lsn: (await readEnd()).lsn, values: [value] };
    },
    /** Returns the id of the database cluster. Null if the role may not read it. */
    clusterId: (): Promise<string | null> => readClusterId(pool),
    /** Returns the current mark, or null if no mark was written to the server run `server`. */
    markOf: (server: string) => (mark?.server === server ? mark : null),
  };
}

/**
 * Returns the end of the last record. If a record fills a page, the primary server reports the position after the
 * header of the next page, and a replica reports the position before this header. No record is between them. The first
 * page of a segment, i.e. of a file of the WAL, has a longer header.
 */
function toEndOfRecord(lsn: bigint, segment_bytes: bigint): bigint {
  if (segment_bytes > 0n && lsn % segment_bytes === SEGMENT_HEADER_bytes) return lsn - SEGMENT_HEADER_bytes;
  return lsn % PAGE_bytes === PAGE_HEADER_bytes ? lsn - PAGE_HEADER_bytes : lsn;
}

/** Returns the id of the database cluster. Null if the role may not read it. */
export async function readClusterId(client: Pick<PoolClient, 'query'>): Promise<string | null> {
  const result = await client
    .query<{ id: string }>('select system_identifier::text as id from pg_control_system()')
    .catch(() => null);
  return result?.rows[0]?.id ?? null;
}
