import type { EventStore, JobQueue } from '@alpenglow/domain';
import { leadDuties, type Logger } from '@alpenglow/infra';
import type { Pool } from '@alpenglow/infra';
import { PROJECTIONS } from './projections/index.ts';
import { accountMails } from './reactors/account-mails.ts';
import { mediaJobs } from './reactors/media-jobs.ts';
import { runProjection } from './run-projection.ts';
import { runReactor } from './run-reactor.ts';

export interface ProjectorDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly connectionString: string;
  readonly jobs: JobQueue;
  readonly log: Logger;
}

/** Every reactor of the product. */
export const REACTORS = [mediaJobs, accountMails] as const;

/** Runs every projection and reactor that no other process runs, until stopped. */
export function startProjectors(deps: ProjectorDependencies): { stop(): Promise<void> } {
  const duties = [
    ...PROJECTIONS.map((projection) => ({ name: projection.name, run: (signal: AbortSignal) => runProjection(projection, deps, signal) })),
    ...REACTORS.map((reactor) => ({ name: reactor.name, run: (signal: AbortSignal) => runReactor(reactor, deps, signal) })),
  ];
  return leadDuties(deps.connectionString, duties, {
    onError: (duty, error) => deps.log.warn({ duty, err: error }, 'duty failed, starting it again'),
    onLead: (duty) => deps.log.info({ duty }, 'duty taken'),
  });
}
