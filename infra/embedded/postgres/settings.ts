/**
 * Server settings, given on the command line so that a new release of the product changes them without touching a
 * cluster that exists. Small on purpose: the whole product is to rest below 450 MB. Durability stays on: an
 * acknowledged write must survive a power cut.
 */
const base = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  password_encryption: 'scram-sha-256',

  // Becomes resident only as far as it is touched: a demo touches little of it, a million ads all.
  shared_buffers: '256MB',
  // What an index finds of a word that a tenth of a million ads have fits in; else whole pages of the table would be looked through.
  work_mem: '16MB',
  maintenance_work_mem: '32MB',
  huge_pages: 'off',
  jit: 'off',

  // Each helper process costs memory; one small database needs none of these.
  io_method: 'sync',
  max_worker_processes: '1',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '1',
  autovacuum_worker_slots: '1',

  // Nobody replicates from it, so the log needs only what a crash needs. 256 MB keep recovery to about a second.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',

  // A backend notices within a second that the Node process it served was killed.
  client_connection_check_interval: '1s',
  idle_in_transaction_session_timeout: '60s',

  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
} as const;

const throwAway = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } as const;

/** Arguments for `postgres`; `durable: false` is for servers that tests throw away, `others` stand besides the product's own settings or in their place. */
export function serverArguments(
  clusterDir: string,
  port: number,
  durable: boolean,
  others: Readonly<Record<string, string>> = {},
): string[] {
  const settings = { ...base, ...(durable ? { fsync: 'on', synchronous_commit: 'on' } : throwAway), ...others };
  return [
    '-D',
    clusterDir,
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
