import type { JobInspector, JobQueue, LivePublisher } from '@alpenglow/domain';
import type { Core, DataKeys, Logger } from '@alpenglow/infra';

export interface ProjectorDependencies extends Pick<Core, 'store' | 'sealedStore' | 'auditLog' | 'commands' | 'pool'> {
  readonly dataKeys: DataKeys;
  readonly connectionString: string;
  readonly jobs: JobQueue;
  readonly inspector: JobInspector;
  /** Publishes events for the live channel. Null if the live channel reads the event store directly. */
  readonly livePublisher?: LivePublisher | null;
  readonly log: Logger;
  /**
   * Awaited after each batch of long-running work, so that the process can do other work, such as requests. A batch
   * takes a few milliseconds. By default, the work continues in the next iteration of the event loop.
   */
  readonly yieldToOtherWork?: () => Promise<unknown>;
}

/** The subset of the dependencies that one part of this service needs. */
export type Dependencies<Name extends keyof ProjectorDependencies> = Pick<ProjectorDependencies, Name>;
