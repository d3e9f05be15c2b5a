import type { EventStore, JobQueue, LivePublisher } from '@alpenglow/domain';
import { createSlots, leadDuties, type Logger } from '@alpenglow/infra';
import type { Pool } from '@alpenglow/infra';
import { PROJECTIONS } from './projections/index.ts';
import { accountMails } from './reactors/account-mails.ts';
import { mediaJobs } from './reactors/media-jobs.ts';
import { RELAY, runRelay } from './relay-live.ts';
import { runProjection } from './run-projection.ts';
import { runReactor } from './run-reactor.ts';

export interface ProjectorDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly connectionString: string;
  readonly jobs: JobQueue;
  /** Null where the live channel follows the event store itself. */
  readonly livePublisher?: LivePublisher | null;
  readonly log: Logger;
}

/** Each takes two connections of the pool that requests are answered with, and whatever there is of a processor. */
const REBUILDS_AT_ONCE = 2;
const REBUILD_WAIT_ms = 24 * 60 * 60_000;

/** Every reactor of the product. */
export const REACTORS = [mediaJobs, accountMails] as const;

/** Runs every projection, every reactor and the relay that no other process runs, until stopped. */
export function startProjectors(deps: ProjectorDependencies): { stop(): Promise<void> } {
  const { livePublisher: publisher = null } = deps;
  const rebuilds = createSlots({ max: REBUILDS_AT_ONCE, maxWaiting: PROJECTIONS.length, wait_ms: REBUILD_WAIT_ms });
  const duties = [
    ...PROJECTIONS.map((projection) => ({ name: projection.name, run: (signal: AbortSignal) => runProjection(projection, { ...deps, rebuilds }, signal) })),
    ...REACTORS.map((reactor) => ({ name: reactor.name, run: (signal: AbortSignal) => runReactor(reactor, deps, signal) })),
    ...(publisher ? [{ name: RELAY, run: (signal: AbortSignal) => runRelay({ ...deps, publisher }, signal) }] : []),
  ];
  return leadDuties(deps.connectionString, duties, {
    onError: (duty, error) => deps.log.warn({ duty, err: error }, 'duty failed, starting it again'),
    onLead: (duty) => deps.log.info({ duty }, 'duty taken'),
  });
}
