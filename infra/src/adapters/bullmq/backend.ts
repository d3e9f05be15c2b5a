import type { BackendFactory, IQueueBackend } from 'bullmq';
import type { Logger } from '../../logger.ts';
import { openPostgresBackend } from './postgres-backend.ts';

export { migrateJobs } from './postgres-backend.ts';

/** Where BullMQ keeps its jobs. What is built on it is the same for every backend. */
export interface JobBackend {
  readonly factory: BackendFactory<IQueueBackend, object>;
  /** How often an idle worker makes sure that it has not missed a job. */
  readonly idleLook_s: number;
  /** Whether this error says that jobs cannot be kept now, rather than that something is wrong with the job. */
  readonly isOutage: (error: unknown) => boolean;
  /**
   * Makes sure, within seconds, of a server that can be used: rejects with `JobQueueUnavailable` while it cannot be reached, and with
   * `ConfigurationError` when it is too old, may drop jobs or does not let us in.
   */
  check(): Promise<void>;
  /** Closes the connections. Queues and workers on them are closed first. */
  close(): Promise<void>;
}

export interface JobBackendOptions {
  /** `postgres:`, `postgresql:`, `redis:` or `rediss:`. */
  readonly connectionString: string;
  readonly log?: Logger;
  /** What the names of all keys in Redis begin with. */
  readonly prefix?: string;
}

/** The backend a connection string names, as `createJobBackend`, once it has been reached. Rejects, within seconds, as its `check` does. */
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
 * The backend a connection string names. A Redis need not be there: queues fail until it is, and workers wait for it. A Postgres must:
 * rejects, within seconds, with the driver's own error while it cannot be reached, and for good when `migrateJobs` has not run, where a
 * worker would spin.
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
      throw new TypeError(`No jobs on ${protocol}`);
  }
}
