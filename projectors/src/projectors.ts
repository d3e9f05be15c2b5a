import type { EventStore, JobInspector, JobQueue, LivePublisher } from '@alpenglow/domain';
import {
  createSlots,
  JOB_MOVES,
  leadDuties,
  type AuditLog,
  type CommandHandler,
  type DataKeys,
  type Logger,
} from '@alpenglow/infra';
import type { Pool } from '@alpenglow/infra';
import { AUDIT_CHAIN, runAuditChain } from './audit-chain.ts';
import { HIDING_RULES, runHidingRules } from './hiding-rules.ts';
import { runJobMoves } from './move-jobs.ts';
import { PROJECTIONS } from './projections/index.ts';
import { PURGES, runPurges } from './purge/purge-read-models.ts';
import { accountMails } from './reactors/account-mails.ts';
import { mediaJobs } from './reactors/media-jobs.ts';
import { moderation } from './reactors/moderation.ts';
import { threadMails } from './reactors/thread-mails.ts';
import { RELAY, runRelay } from './relay-live.ts';
import { REPLAY, runReplay } from './replay/run-replay.ts';
import { runProjection } from './run-projection.ts';
import { runReactor } from './run-reactor.ts';

export interface ProjectorDependencies {
  readonly store: EventStore;
  /** The same events as they are kept: personal data sealed. */
  readonly sealedStore: EventStore;
  readonly auditLog: AuditLog;
  readonly dataKeys: DataKeys;
  readonly commands: CommandHandler;
  readonly pool: Pool;
  readonly connectionString: string;
  readonly jobs: JobQueue;
  /** What jobs are retried and removed with. */
  readonly inspector: JobInspector;
  /** Null where the live channel follows the event store itself. */
  readonly livePublisher?: LivePublisher | null;
  readonly log: Logger;
  /** Has long work wait for those who are answered by the same process; see `FillDependencies`. */
  readonly stepBack?: () => Promise<unknown>;
}

/** Each takes two connections of the pool that requests are answered with, and whatever there is of a processor. */
const REBUILDS_AT_ONCE = 2;
const REBUILD_WAIT_ms = 24 * 60 * 60_000;

/** Every reactor of the product. */
export const REACTORS = [mediaJobs, accountMails, threadMails, moderation] as const;

/** Runs every projection, every reactor and the relay that no other process runs, until stopped. */
export function startProjectors(deps: ProjectorDependencies): { stop(): Promise<void> } {
  const { livePublisher: publisher = null } = deps;
  const rebuilds = createSlots({ max: REBUILDS_AT_ONCE, maxWaiting: 2 * PROJECTIONS.length, wait_ms: REBUILD_WAIT_ms });
  const duties = [
    ...PROJECTIONS.map((projection) => ({
      name: projection.name,
      run: (signal: AbortSignal) => runProjection(projection, { ...deps, rebuilds }, signal),
    })),
    ...REACTORS.map((reactor) => ({
      name: reactor.name,
      run: (signal: AbortSignal) => runReactor(reactor, deps, signal),
    })),
    {
      name: REPLAY,
      run: (signal: AbortSignal) => runReplay({ ...deps, projections: PROJECTIONS, slots: rebuilds }, signal),
    },
    { name: HIDING_RULES, run: (signal: AbortSignal) => runHidingRules(deps, signal) },
    { name: JOB_MOVES, run: (signal: AbortSignal) => runJobMoves(deps, signal) },
    {
      name: AUDIT_CHAIN,
      run: (signal: AbortSignal) => runAuditChain({ store: deps.sealedStore, log: deps.auditLog }, signal),
    },
    { name: PURGES, run: (signal: AbortSignal) => runPurges(deps, PROJECTIONS, signal) },
    ...(publisher ? [{ name: RELAY, run: (signal: AbortSignal) => runRelay({ ...deps, publisher }, signal) }] : []),
  ];
  return leadDuties(deps.connectionString, duties, {
    onError: (duty, error) => deps.log.warn({ duty, err: error }, 'duty failed, starting it again'),
    onLead: (duty) => deps.log.info({ duty }, 'duty taken'),
  });
}
