/**
 * Settings of the Postgres server. They are passed as command-line arguments, so that a new release can change them for
 * an existing database. The memory settings are small, so that the idle product uses less than 450 MB.
 */
const base = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  password_encryption: 'scram-sha-256',

  // Postgres allocates this memory only when it needs it. A demo uses little of it, and a million ads use all of it.
  shared_buffers: '256MB',
  // This memory is sufficient for the index result of a search word that occurs in 100,000 ads. With less memory,
  // Postgres would search whole pages of the table, which is slower.
  work_mem: '16MB',
  maintenance_work_mem: '32MB',
  huge_pages: 'off',
  jit: 'off',

  // Helper processes are limited, because each uses memory and one small database does not need them.
  io_method: 'sync',
  max_worker_processes: '1',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '1',
  autovacuum_worker_slots: '1',

  // The write-ahead log has minimal content, because only crash recovery needs it. Its size limits the recovery to
  // about a second.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '256MB',

  // Each server process checks its client connection every second, so that it ends soon after the Node process was
  // killed.
  client_connection_check_interval: '1s',
  idle_in_transaction_session_timeout: '60s',

  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
} as const;

const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } as const;

/**
 * Returns the command-line arguments of `postgres`. With `durable`, an acknowledged write survives a power failure.
 * Only tests set `durable` to false. `overrides` are added to the default settings or replace them.
 */
export function serverArguments(
  clusterDir: string,
  port: number,
  durable: boolean,
  overrides: Readonly<Record<string, string>> = {},
): string[] {
  const settings = { ...base, ...(durable ? { fsync: 'on', synchronous_commit: 'on' } : notDurable), ...overrides };
  return [
    '-D',
    clusterDir,
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
