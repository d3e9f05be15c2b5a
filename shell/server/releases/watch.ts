/**
 * Compares new builds of remotes with the builds before, rolls worse ones back and gives good canaries to more
 * browsers.
 */
import type { PageReader } from '@alpenglow/domain/contracts';
import { registerForgettingCounter, type Metrics } from '@alpenglow/infra';
import type { RegistryEntry, RemoteName } from '@alpenglow/ui/contract';
import { LRUCache } from 'lru-cache';
import {
  isDeployed,
  readHistory,
  rollback,
  setCanaryShare,
  storeComparison,
  type Comparison,
  type StoredDeployment,
} from '../../build/registry.mjs';
import { findIncompatibilities, type ShellOffer } from '../../build/shell-compatibility.mjs';
import { findTrustErrors, type Trust } from '../../build/signing.mjs';
import type { PageSource } from '../page-source.ts';
import type { Canary, LiveBuilds } from '../registry-file.ts';
import type { RenderCounts } from '../rendering/renderer.ts';
import { beginComparison, countsIn, countsSince, firstDayOf, shareSince, type Deployments } from './counts.ts';
import { describeVerdict, findWorse, TOLERANCE, type BuildFigures, type Share } from './compare-builds.ts';

/**
 * The time between two comparisons. The API counts a report after at most 7 s, so a decision takes effect within 30 s.
 */
const INTERVAL_ms = 5_000;
/** The time after a live deployment in which it is compared with the build before. */
const FRESH_ms = 24 * 3_600_000;
/** The number of builds whose last failure is remembered. */
const FAILURES_MAX = 100;
/**
 * The next share of a canary with `--auto`, in percent. It requires this number of page loads with the canary and this
 * time, both since its comparison began.
 */
export const STEPS = [
  { next: 25, views: 500, time_ms: 10 * 60_000 },
  { next: 50, views: 3_000, time_ms: 30 * 60_000 },
  { next: 100, views: 10_000, time_ms: 60 * 60_000 },
] as const;
/**
 * The next share also requires this part of the page loads with the live build that its share lets expect. Otherwise,
 * the reports are not comparable, e.g. because someone invents them.
 */
const EXPECTED_BEFORE_MIN = 0.5;

export interface ReleaseWatchOptions {
  readonly mfDir: string;
  readonly shell: ShellOffer;
  readonly trust: Trust;
  readonly reads: Pick<PageReader, 'readFrontEndStatistics'>;
  readonly registry: () => Promise<LiveBuilds>;
  /** Returns how many pages this server has rendered with each build, by name and hash. */
  readonly countRendered: (entry: Pick<RegistryEntry, 'name' | 'hash'>) => RenderCounts;
  readonly log: PageSource['log'];
  /** Called for each remote with a live build before its builds are compared. */
  readonly onFound?: (name: RemoteName) => void;
  /** Called after each automatic rollback. */
  readonly onRollback: (name: RemoteName) => void;
}

/**
 * Registers the metric of automatic rollbacks. Returns a function that counts one, and one that shows a remote with 0.
 */
export function registerReleaseMetrics(metrics: Metrics): {
  readonly countRollback: (name: RemoteName) => void;
  readonly showRemote: (name: RemoteName) => void;
} {
  const { count, show } = registerForgettingCounter(
    metrics,
    'front_end_automatic_rollbacks_total',
    'Builds of front ends that were rolled back because they were worse than the build before',
    ['front_end'],
  );
  return {
    countRollback: (name) => count({ front_end: name }),
    showRemote: (name) => show({ front_end: name }),
  };
}

/** Creates a function that compares all new builds once. It never rejects, because the next call compares again. */
export function createReleaseCheck(options: ReleaseWatchOptions): (now?: Date) => Promise<void> {
  const { mfDir, shell, trust, reads, registry, countRendered, log, onFound, onRollback } = options;
  const keys = { privateKey: null, trust };

  /** The pages that this server had rendered with both builds when it first saw the comparison. */
  let renderedBefore = new Map<string, Rendered>();
  const renderedWith = ({ name, hash, before }: Release): Rendered => ({
    build: countRendered({ name, hash }),
    before: countRendered({ name, hash: before }),
  });

  /** Returns the figures of both builds since the comparison began. */
  function figuresOf(deployments: Deployments, release: Release, { counts, startedAt }: Comparison) {
    const { name, hash, before } = release;
    const rendered = renderedWith(release);
    const earlier = renderedBefore.get(keyOf(release, startedAt)) ?? rendered;
    const build: BuildFigures = {
      ...countsSince(countsIn(deployments, name, hash), counts.build),
      rendering: shareSince(rendered.build, earlier.build),
    };
    const compared: BuildFigures = {
      ...countsSince(countsIn(deployments, name, before), counts.before),
      // After a live deployment, the build before is hardly rendered any more.
      rendering: release.canary ? shareSince(rendered.before, earlier.before) : rendered.before,
    };
    return { build, before: compared };
  }

  /** Returns the comparison of a release, or null if it has only just begun. */
  async function findComparison(release: Release, { now, statisticsSince }: Check): Promise<Comparison | null> {
    const { name, hash, before, canary, stored } = release;
    if (stored?.before === before) return stored;
    const deployments = await statisticsSince(firstDayOf(canary !== null, now));
    const comparison = beginComparison(deployments, { name, hash, before, isCanary: canary !== null }, now);
    await storeComparison({ mfDir, name, hash, comparison });
    renderedBefore.set(keyOf(release, comparison.startedAt), renderedWith(release));
    return null;
  }

  async function compare(release: Release, check: Check): Promise<void> {
    const { now } = check;
    const { name, hash, before, canary } = release;
    const comparison = await findComparison(release, check);
    if (!comparison) return;
    const deployments = await check.statisticsSince(comparison.firstDay);
    const figures = figuresOf(deployments, release, comparison);
    const tolerance = canary ? TOLERANCE.atTheSameTime : TOLERANCE.oneAfterTheOther;
    const verdict = findWorse(figures.build, figures.before, tolerance);
    if (verdict) {
      const reason = describeVerdict(verdict);
      const { entry } = await rollback({ mfDir, name, shell, keys, from: hash, reason, now });
      log.warn({ remote: name, hash, live: entry.hash, reason }, 'a front end was rolled back, because it is worse');
      onRollback(name);
      return;
    }
    if (!canary?.isAutomatic) return;
    const step = STEPS.find(({ next }) => next > canary.percent);
    if (!step || figures.build.views.all < step.views) return;
    if (now.getTime() - Date.parse(comparison.startedAt) < step.time_ms) return;
    const expected = (figures.build.views.all * (100 - canary.percent)) / canary.percent;
    if (figures.before.views.all < expected * EXPECTED_BEFORE_MIN) return;
    await setCanaryShare({ mfDir, name, shell, keys, hash, percent: step.next, now });
    log.warn({ remote: name, hash, before, percent: step.next }, 'a canary is given to more browsers');
  }

  /** The last failure of each comparison. */
  const failures = new LRUCache<string, string>({ max: FAILURES_MAX });

  /** Runs `work` for one build, so that its failure does not stop the comparison of others. Logs a failure once. */
  async function attempt({ name, hash }: Pick<RegistryEntry, 'name' | 'hash'>, work: () => Promise<void>) {
    try {
      await work();
    } catch (err) {
      const text = String(err);
      if (failures.get(`${name} ${hash}`) === text) return;
      failures.set(`${name} ${hash}`, text);
      log.warn({ err, remote: name, hash }, 'a new build of a front end could not be compared');
    }
  }

  /** Returns the canaries and the fresh live deployments with the builds before. */
  async function findReleases({ now, historyOf }: Check): Promise<readonly Release[]> {
    const { remotes, canaries } = await registry();
    for (const name of Object.keys(remotes)) onFound?.(name);
    const releases: Release[] = [];
    for (const canary of Object.values(canaries)) {
      const { name, hash } = canary.build;
      const live = remotes[name];
      if (!live?.fits) continue;
      await attempt(canary.build, async () => {
        const found = (await historyOf(name)).find((build) => build.hash === hash);
        if (found) releases.push({ name, hash, before: live.hash, canary, stored: found.comparison });
      });
    }
    for (const live of Object.values(remotes)) {
      if (!live?.fits || now.getTime() - Date.parse(live.deployedAt) > FRESH_ms) continue;
      const { name, hash } = live;
      await attempt(live, async () => {
        const history = await historyOf(name);
        const before = findBefore(history, hash, shell, trust);
        const stored = history.find((build) => build.hash === hash)?.comparison;
        if (before) releases.push({ name, hash, before: before.hash, canary: null, stored });
      });
    }
    return releases;
  }

  async function checkAll(now: Date): Promise<void> {
    const check: Check = {
      now,
      historyOf: once((name) => readHistory(mfDir, name)),
      statisticsSince: once((firstDay) => reads.readFrontEndStatistics(firstDay)),
    };
    const releases = await findReleases(check);
    const known = renderedBefore;
    renderedBefore = new Map(
      releases.flatMap((release) => {
        if (!release.stored) return [];
        const key = keyOf(release, release.stored.startedAt);
        return [[key, known.get(key) ?? renderedWith(release)] as const];
      }),
    );
    for (const release of releases) await attempt(release, () => compare(release, check));
  }

  return async (now = new Date()) => {
    try {
      await checkAll(now);
    } catch (err) {
      log.warn({ err }, 'new builds of front ends could not be compared');
    }
  };
}

/** Starts to compare new builds. Returns a function that stops it. */
export function watchReleases(options: ReleaseWatchOptions): () => void {
  const check = createReleaseCheck(options);
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= check().finally(() => (running = null));
  }, INTERVAL_ms);
  timer.unref();
  return () => clearInterval(timer);
}

interface Rendered {
  readonly build: Share;
  readonly before: Share;
}

/** One comparison of all builds. Its functions read each history, and the statistics since each day, only once. */
interface Check {
  readonly now: Date;
  readonly historyOf: (name: RemoteName) => Promise<readonly StoredDeployment[]>;
  readonly statisticsSince: (firstDay: string) => Promise<Deployments>;
}

/** Returns a function that reads each value only once. */
function once<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const values = new Map<string, Promise<Value>>();
  return (key) => {
    const value = values.get(key) ?? read(key);
    values.set(key, value);
    return value;
  };
}

const keyOf = ({ name, hash }: Release, startedAt: string): string => `${name} ${hash} ${startedAt}`;

/** A build that is compared with the build `before`. */
interface Release {
  readonly name: RemoteName;
  readonly hash: string;
  readonly before: string;
  /** Null for a live deployment. */
  readonly canary: Canary | null;
  /** The stored beginning of its comparison. It may be one with another build. */
  readonly stored: Comparison | undefined;
}

/**
 * Returns the build with which a live build is compared: the one before it that was live and not rolled back. Only
 * builds are considered that are signed and that this shell can run. Returns undefined if there is none, or if a
 * rollback has returned to the live build. So one rollback never causes another one.
 */
function findBefore(
  history: readonly StoredDeployment[],
  liveHash: string,
  shell: ShellOffer,
  trust: Trust,
): StoredDeployment | undefined {
  const wasLive = (build: StoredDeployment) =>
    build.stage === undefined &&
    findIncompatibilities(build, shell).length === 0 &&
    findTrustErrors(build, trust).length === 0;
  const last = history.findLastIndex(wasLive);
  if (history[last]?.hash !== liveHash) return undefined;
  return history.slice(0, last).findLast((build) => isDeployed(build) && wasLive(build));
}
