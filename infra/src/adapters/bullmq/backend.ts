import type { JobBackend, JobBackendOptions } from './job-backend.ts';
import { openPostgresBackend } from './postgres-backend.ts';

export { migrateJobs } from './postgres-backend.ts';

/**
 * Opens the storage of background jobs in Postgres or Redis, depending on the protocol of `connectionString`. Also
 * checks that the server is usable. Rejects within seconds if the storage cannot be opened or the check fails.
 */
export async function openJobBackend(options: JobBackendOptions): Promise<JobBackend> {
  const backend = await createJobBackend(options);
  try {
    await backend.check();
    return backend;
  } catch (error) {
    await backend.close();
    throw error;
  }
}

/**
 * Opens the storage of background jobs in Postgres or Redis, depending on the protocol of `connectionString`. Redis may
 * be unreachable: its queues then fail, and its workers wait for Redis. If Postgres cannot be reached, rejects within
 * seconds with the driver's error. Also rejects if `migrateJobs` has not created the tables, because a worker without
 * tables fails in an endless loop. Throws `TypeError` for an unknown protocol.
 */
export async function createJobBackend({ connectionString, ...options }: JobBackendOptions): Promise<JobBackend> {
  const { protocol } = new URL(connectionString);
  switch (protocol) {
    case 'postgres:':
    case 'postgresql:':
      return openPostgresBackend(connectionString);
    case 'redis:':
    case 'rediss:': {
      const { createRedisBackend } = await import('./redis-backend.ts');
      return createRedisBackend(connectionString, options);
    }
    default:
      throw new TypeError(`Unsupported protocol for jobs: ${protocol}`);
  }
}
