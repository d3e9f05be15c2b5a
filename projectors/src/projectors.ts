import {
  ACCOUNT_STREAMS,
  createSlots,
  JOB_MOVES,
  REQUEST_EVENTS,
  recordUses,
  runDuties,
  type Duty,
  type LogRewind,
} from '@alpenglow/infra';
import { AUDIT_CHAIN_DUTY, runAuditChain } from './audit-chain.ts';
import type { ProjectorDependencies } from './dependencies.ts';
import { HIDING_RULES_DUTY, runHidingRules, toHidingRulesReaction } from './reactors/hiding-rules.ts';
import { createFailureTracker } from './failure-tracker.ts';
import { runJobControl } from './job-control.ts';
import { DROP_VERSIONS_DUTY, runDropVersions } from './versions/drop-unused-versions.ts';
import { readModelOf } from './projection.ts';
import { PROJECTIONS } from './projections/index.ts';
import { runAccountStreams } from './purge/index-account-streams.ts';
import { runRequestEvents } from './request-events.ts';
import { PURGE_DUTY, runPurges } from './purge/purge-read-models.ts';
import { accountMails } from './reactors/account-mails.ts';
import { mediaJobs } from './reactors/media-jobs.ts';
import { moderation } from './reactors/moderation.ts';
import { threadMails } from './reactors/thread-mails.ts';
import { createJointRebuilds } from './rebuild/joint-rebuilds.ts';
import { LIVE_RELAY_DUTY, runLiveRelay } from './live-relay.ts';
import { EVENT_STORE_DUTY, watchEventStore } from './watch-event-store.ts';
import { REPLAY_DUTY, runReplay } from './replay/run-replay.ts';
import { runProjection } from './run-projection.ts';
import { runReactor, toReaction } from './reactors/run-reactor.ts';
import { dutyNamesOf } from './versions/versions.ts';

/**
 * The maximum number of read models that are rebuilt in parallel for admins. It is small, because a rebuild uses all
 * free processor time and two database connections of the pool that also serves requests.
 */
const REBUILDS_AT_ONCE = 2;
const REBUILD_WAIT_ms = 24 * 60 * 60_000;
/** The time within which the duties of a process start. Read models that are missing are then built together. */
const GATHER_ms = 200;

/** All reactors, which turn events into jobs. */
export const REACTORS = [mediaJobs, accountMails, threadMails, moderation] as const;

/**
 * Starts all duties of this service. A duty is background work, such as a projection or a reactor, that runs in exactly
 * one process of a cluster. The live relay is started only if there is a publisher. `stop` ends all duties.
 */
export function startProjectors(deps: ProjectorDependencies): { stop(): Promise<void> } {
  const { livePublisher: publisher = null, projections = PROJECTIONS, live: ready = Promise.resolve() } = deps;
  const rebuilds = createJointRebuilds(deps, { gather_ms: GATHER_ms });
  const slots = createSlots({ max: REBUILDS_AT_ONCE, maxWaiting: projections.length, wait_ms: REBUILD_WAIT_ms });
  const onRewound = (rewind: LogRewind) =>
    deps.log.warn(rewind, 'the event log was replaced by an older state, read models with lost events are rebuilt');
  const reactions = [...REACTORS.map((reactor) => toReaction(reactor, deps)), toHidingRulesReaction(deps)];
  const duties: Duty[] = [
    // The name of a duty contains the version, so that processes of two builds run both versions at the same time.
    ...projections.flatMap((projection) =>
      dutyNamesOf(projection).map(
        (name, index, { length: count }): Duty => ({
          name,
          run: (signal, setBusy) => runProjection(projection, { ...deps, rebuilds, setBusy }, signal, { index, count }),
        }),
      ),
    ),
    ...REACTORS.map((reactor) => ({
      name: reactor.name,
      run: (signal: AbortSignal) => runReactor(reactor, deps, signal),
    })),
    { name: REPLAY_DUTY, run: (signal) => runReplay({ ...deps, projections, slots }, signal) },
    { name: HIDING_RULES_DUTY, ready, run: (signal) => runHidingRules(deps, signal) },
    { name: JOB_MOVES, run: (signal) => runJobControl(deps, signal) },
    {
      name: AUDIT_CHAIN_DUTY,
      run: async (signal) => {
        await rebuilds.waitUntilDone(signal);
        await runAuditChain({ store: deps.sealedStore, log: deps.auditLog, onRewound }, signal);
      },
    },
    {
      name: ACCOUNT_STREAMS,
      run: async (signal) => {
        await rebuilds.waitUntilDone(signal);
        await runAccountStreams(deps, signal);
      },
    },
    { name: REQUEST_EVENTS, run: (signal) => runRequestEvents(deps, signal) },
    { name: PURGE_DUTY, ready, run: (signal) => runPurges(deps, projections, reactions, signal) },
    { name: EVENT_STORE_DUTY, run: (signal) => watchEventStore(deps.sealedStore, signal) },
    { name: DROP_VERSIONS_DUTY, ready, run: (signal) => runDropVersions(deps.pool, projections, signal) },
  ];
  if (publisher) duties.push({ name: LIVE_RELAY_DUTY, run: (signal) => runLiveRelay({ ...deps, publisher }, signal) });
  const uses = recordUses(
    deps.pool,
    projections.map((projection) => ({ name: readModelOf(projection), version: projection.version })),
  );
  const failures = createFailureTracker(deps);
  const tracked = duties.map((duty): Duty => ({ ...duty, run: (signal, setBusy) => track(duty, signal, setBusy) }));
  async function track({ name, run }: Duty, signal: AbortSignal, setBusy: (isBusy: boolean) => void): Promise<void> {
    try {
      await run(signal, (isBusy) => {
        setBusy(isBusy);
        failures.recordBusy(name, isBusy);
      });
    } finally {
      failures.recordEnd(name);
    }
  }
  const running = runDuties(deps.connectionString, tracked, {
    onError: failures.recordFailure,
    onLead(duty) {
      const hasFailed = failures.recordStart(duty);
      // A duty that fails starts again each second, and its failures are logged.
      deps.log[hasFailed ? 'debug' : 'info']({ duty }, 'duty started');
    },
  });
  return {
    async stop() {
      await Promise.all([running.stop(), uses.stop(), failures.stop()]);
    },
  };
}
