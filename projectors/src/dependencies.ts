import type { JobInspector, JobQueue, LivePublisher } from '@alpenglow/domain';
import type { Projection } from './projection.ts';
import type { EventServices, DataKeys, Logger } from '@alpenglow/infra';

export interface ProjectorDependencies
  extends Pick<EventServices, 'store' | 'sealedStore' | 'auditLog' | 'commands' | 'pool'> {
  readonly dataKeys: DataKeys;
  readonly connectionString: string;
  readonly jobs: JobQueue;
  readonly inspector: JobInspector;
  /** Publishes events for the live channel. Null if the live channel reads the event store directly. */
  readonly livePublisher?: LivePublisher | null;
  readonly log: Logger;
  /**
   * Resolves when the versions of the read models that this process reads are live. The duties that read them start
   * then. By default, they start at once.
   */
  readonly live?: Promise<void>;
  /** The projections of this build. Default: all projections of the product. */
  readonly projections?: readonly Projection[];
  /**
   * Awaited after each batch of long-running work, so that the process can do other work, such as requests. A batch
   * takes a few milliseconds. By default, the work continues in the next iteration of the event loop.
   */
  readonly yieldToOtherWork?: () => Promise<unknown>;
}

/** The subset of the dependencies that one part of this service needs. */
export type Dependencies<Name extends keyof ProjectorDependencies> = Pick<ProjectorDependencies, Name>;
