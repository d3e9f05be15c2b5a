import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

/** Counts the WebSocket connections of the live channel, which sends changes to browsers, in all processes. */
export type LiveClientCount = ReturnType<typeof createLiveClientCount>;

const REPORT_INTERVAL_ms = 5_000;
const REPORT_AGE = `interval '15 seconds'`;
const REMOVAL_AGE = `interval '1 minute'`;

/**
 * Stores every 5 s how many clients are connected to this process. While the database cannot be reached, nothing is
 * stored, so the total over all processes is too low.
 */
export function createLiveClientCount(pool: Pool, clients: () => number) {
  const processId = randomUUID();
  const report = async () => {
    await pool.query({
      name: 'live-clients-report',
      text: `insert into ops.live_clients (process_id, clients) values ($1, $2)
             on conflict (process_id) do update set clients = excluded.clients, at = now()`,
      values: [processId, clients()],
    });
    await pool.query({
      name: 'live-clients-forget',
      text: `delete from ops.live_clients where at < now() - ${REMOVAL_AGE}`,
    });
  };
  let reporting: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    reporting = report().catch(() => undefined);
  }, REPORT_INTERVAL_ms);
  timer.unref();
  return {
    /**
     * Returns how many clients are connected to this process and to all processes that have stored their number within
     * the last 15 s.
     */
    async total(): Promise<number> {
      const text = `select coalesce(sum(clients), 0)::int as total
                      from ops.live_clients
                     where at > now() - ${REPORT_AGE} and process_id <> $1`;
      const { rows } = await pool.query<{ total: number }>({ name: 'live-clients-total', text, values: [processId] });
      return (rows[0]?.total ?? 0) + clients();
    },
    /** Stops storing the number of clients, and removes this process from the total. */
    async close(): Promise<void> {
      clearInterval(timer);
      await reporting;
      await pool.query('delete from ops.live_clients where process_id = $1', [processId]).catch(() => undefined);
    },
  };
}
