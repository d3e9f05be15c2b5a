import type { BackendFactory, IQueueBackend } from 'bullmq';
import type { Logger } from '../../service/logger.ts';

/**
 * The storage of background jobs, which is Postgres or Redis. BullMQ, the library for job queues, uses both in the same
 * way.
 */
export interface JobBackend {
  readonly factory: BackendFactory<IQueueBackend, object>;
  /** The interval in seconds at which an idle worker checks for jobs whose notification was lost. */
  readonly idleCheck_s: number;
  /**
   * Returns true if an error means that the backend is currently unavailable, and false if the job itself caused the
   * error.
   */
  readonly isOutage: (error: unknown) => boolean;
  /**
   * Checks within seconds that the server is usable. Rejects with `JobQueueUnavailable` while the server cannot be
   * reached. Rejects with `ConfigurationError` if the server is too old, may drop jobs, or rejects the login.
   */
  check(): Promise<void>;
  /** Closes the connections. The caller closes the queues and workers of this backend first. */
  close(): Promise<void>;
}

export interface JobBackendOptions {
  /** A URL that begins with `postgres:`, `postgresql:`, `redis:` or `rediss:`. */
  readonly connectionString: string;
  readonly log?: Logger;
  /** The prefix of all keys in Redis. */
  readonly prefix?: string;
}
