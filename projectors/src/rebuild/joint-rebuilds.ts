import { setTimeout as pause } from 'node:timers/promises';
import { createSlots, waitUnlessAborted } from '@alpenglow/infra';
import type { Projection } from '../projection.ts';
import type { FillDependencies } from './fill-tables.ts';
import { buildAndSwap } from './rebuild.ts';
import { RebuildLocked, withRebuildLock } from './rebuild-lock.ts';
import { createSharedPages } from './shared-pages.ts';

/**
 * The maximum number of projections whose rows are written at the same time. It is small, because requests and other
 * duties use the same pool of database connections.
 */
const WRITES_AT_ONCE = 3;
/**
 * The maximum number of projections whose indexes are created at the same time. This limit is separate, because
 * creating indexes may take long. If it delayed the writing of rows, all other projections of the group would wait.
 */
const INDEXES_AT_ONCE = 1;
const SLOT_WAIT_ms = 24 * 60 * 60_000;
/** The time within which the projections of a starting process have begun their rebuilds. */
const START_ms = 1_000;
const POLL_ms = 50;
/** The approximate memory of the cached rows of one projection. */
const CACHE_bytes = 16 * 1024 * 1024;

export type JointRebuilds = ReturnType<typeof createJointRebuilds>;

/** Projections that are rebuilt with the same pass over the event log. */
type Group = ReturnType<typeof createGroup>;

function createGroup(deps: FillDependencies, gather_ms: number) {
  return {
    pages: createSharedPages(deps),
    projections: new Set<string>(),
    gathered: pause(gather_ms),
  };
}

/**
 * Rebuilds projections that need a rebuild at about the same time with one pass over the event log, e.g. all
 * projections of a new installation. With one pass for each projection, reading, decrypting and converting the events
 * would be most of the work.
 */
export function createJointRebuilds(
  deps: FillDependencies,
  /** The time for which the rebuild of a projection waits for those of others. Default: 0. */
  { gather_ms = 0 }: { readonly gather_ms?: number } = {},
) {
  const slotsOf = (max: number) => createSlots({ max, maxWaiting: Infinity, wait_ms: SLOT_WAIT_ms });
  const writes = slotsOf(WRITES_AT_ONCE);
  const indexes = slotsOf(INDEXES_AT_ONCE);
  let gathering: Group | null = null;
  let running = 0;

  function startGroup(): Group {
    const group = createGroup(deps, gather_ms);
    const endGathering = () => (gathering = null);
    group.gathered.then(endGathering, endGathering);
    return group;
  }

  return {
    /**
     * Rebuilds a projection, like `rebuildProjection`, if `isNeeded` is still true when its rebuild can begin. Throws
     * `RebuildLocked` also if another caller rebuilds the projection in this process.
     */
    async rebuild(
      projection: Projection,
      { signal, isNeeded }: { readonly signal: AbortSignal; readonly isNeeded: () => Promise<boolean> },
    ): Promise<void> {
      const group = (gathering ??= startGroup());
      const { name } = projection;
      if (group.projections.has(name)) throw new RebuildLocked(`${name} is being rebuilt already`);
      group.projections.add(name);
      running += 1;
      const reader = group.pages.open(Object.keys(projection.on));
      try {
        await group.gathered;
        await withRebuildLock(deps.pool, name, async (lost) => {
          const ends = AbortSignal.any([signal, lost]);
          ends.throwIfAborted();
          if (!(await isNeeded())) return;
          ends.throwIfAborted();
          await buildAndSwap(projection, deps, {
            reader,
            writes,
            indexes,
            cacheLimit_bytes: CACHE_bytes,
            signal: ends,
          });
        });
      } finally {
        running -= 1;
        reader.close();
        group.projections.delete(name);
      }
    },
    /**
     * Waits until no projection is rebuilt in this process. Duties that read the whole log at a first start, but are
     * less urgent than the read models, begin with this. Waits for at least a second, because the projections of a
     * starting process may not have begun yet. Also returns when `signal` aborts.
     */
    async waitUntilDone(signal: AbortSignal): Promise<void> {
      await waitUnlessAborted(START_ms, signal);
      while (running > 0 && !signal.aborted) await waitUnlessAborted(POLL_ms, signal);
    },
  };
}
