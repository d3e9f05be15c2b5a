import type { JobBackend, JobBackendOptions } from './job-backend.ts';
import { openPostgresBackend } from './postgres-backend.ts';

export { migrateJobs } from './postgres-backend.ts';

/**
 * Opens the job backend that `connectionString` selects, and checks that its server is usable. Rejects within seconds
 * if `createJobBackend` or `JobBackend.check` fails.
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
 * Opens the job backend that `connectionString` selects. Redis may be unreachable. Its queues then fail, and its
 * workers wait for Redis. If Postgres cannot be reached, rejects within seconds with the driver's error. Also rejects
 * if `migrateJobs` has not run, because a worker fails in an endless loop without the tables. Throws `TypeError` for an
 * unknown protocol.
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
