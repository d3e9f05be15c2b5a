import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

/** Connections of the live channel over all processes. */
export interface LiveClients {
  /** Those of the processes heard of in the last 15 s. */
  total(): Promise<number>;
  /** Stops telling, and takes this process out of the count. */
  close(): Promise<void>;
}

const TELL_EVERY_ms = 5_000;
const SILENT = `interval '15 seconds'`;
const FORGOTTEN = `interval '1 minute'`;

/** Tells every 5 s how many clients this process has. While the database is away nobody is told, and the count is lower for a while. */
export function createLiveClients(pool: Pool, clients: () => number): LiveClients {
  const processId = randomUUID();
  const tell = async () => {
    await pool.query({
      name: 'live-clients-tell',
      text: `insert into ops.live_clients (process_id, clients) values ($1, $2) on conflict (process_id) do update set clients = excluded.clients, at = now()`,
      values: [processId, clients()],
    });
    await pool.query({
      name: 'live-clients-forget',
      text: `delete from ops.live_clients where at < now() - ${FORGOTTEN}`,
    });
  };
  let telling: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    telling = tell().catch(() => undefined);
  }, TELL_EVERY_ms);
  timer.unref();
  return {
    async total() {
      const text = `select coalesce(sum(clients), 0)::int as total from ops.live_clients where at > now() - ${SILENT} and process_id <> $1`;
      const { rows } = await pool.query<{ total: number }>({ name: 'live-clients-total', text, values: [processId] });
      return (rows[0]?.total ?? 0) + clients();
    },
    async close() {
      clearInterval(timer);
      await telling;
      await pool.query('delete from ops.live_clients where process_id = $1', [processId]).catch(() => undefined);
    },
  };
}
