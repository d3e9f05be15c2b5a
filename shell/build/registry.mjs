// @ts-check
/**
 * Reads and writes the folder from which the server serves the remotes. It contains these files:
 *
 *   registry.json          the live builds of each remote, which the server of the shell reads
 *   <name>/<hash>/         the files of one build, which never change
 *   <name>/history.json    the stored builds, oldest first. The live builds follow from it
 *   shells/<hash>.json     what each started shell offers (shell-compatibility.mjs)
 *
 * Every file is written under a temporary name and then renamed, so that a reader never reads a partial file.
 */
import { chmod, cp, lstat, mkdir, readFile, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOf, digestsOf } from './digests.mjs';
import { withFileLock } from './file-lock.mjs';
import { requireValidEntry } from './registry-entry.mjs';
import { containsRange, findIncompatibilities, readShells, requireFit } from './shell-compatibility.mjs';
import { STATE, deployKeys, findTrustErrors, signBuild } from './signing.mjs';

/**
 * The time for which a build stays stored after it was replaced or a browser has last requested one of its files.
 * Earlier builds are stored, because open tabs still load their files. Live builds stay without a limit.
 */
export const RETENTION_days = 30;
/** The maximum number of stored builds per remote. The one whose last use is the longest ago is deleted first. */
export const STORED_MAX = 50;
/** The maximum number of previews among them. */
export const PREVIEWS_MAX = 10;
const DAY_ms = 86_400_000;

/** @typedef {import('../../ui/src/host/contract.ts').RegistryEntry} RegistryEntry */
/** @typedef {import('../../ui/src/host/contract.ts').RemoteName} RemoteName */
/** @typedef {Omit<RegistryEntry, 'fits'>} Deployment  an entry of the stored registry */
/** @typedef {{ readonly all: number, readonly bad: number }} Share  a number of views, and how many of them are bad */
/**
 * The reports of browsers about a build: its views, and their number in each range of speed (`VITAL_LIMITS`).
 * @typedef {{ readonly views: Share, readonly lcp: readonly number[], readonly inp: readonly number[] }} ReportedCounts
 */
/**
 * The beginning of the comparison of a build with the build `before`: the counts of both at this time in the reports
 * since `firstDay` (a date in UTC). The server decides from what was added to them (shell/server/releases/watch.ts).
 * @typedef {{ readonly startedAt: string, readonly firstDay: string, readonly before: string,
 * readonly counts: { readonly build: ReportedCounts, readonly before: ReportedCounts } }} Comparison
 */
/**
 * A stored build. A build with a stage is not live: a `preview` is for browsers with its link, and a `canary` for
 * `percent` of all browsers. A canary that is automatic is given to more browsers by the server. `rollback` states when
 * and why the server has rolled the build back. A build that is forced was deployed without the check of its types and
 * tests. `liveAt` is the time at which a canary was deployed live, if it was live before it became a canary.
 * @typedef {Deployment & { readonly isRolledBack?: boolean, readonly stage?: 'preview' | 'canary',
 * readonly percent?: number, readonly isAutomatic?: boolean, readonly isForced?: boolean,
 * readonly liveAt?: string,
 * readonly rollback?: { readonly at: string, readonly reason: string },
 * readonly comparison?: Comparison }} StoredDeployment
 */
/** @typedef {{ readonly percent: number, readonly isAutomatic: boolean, readonly build: Deployment }} Canary */
/**
 * @typedef {object} StoredRegistry
 * @property {Partial<Record<RemoteName, Deployment[]>>} remotes
 * @property {Partial<Record<RemoteName, Canary>>} canaries
 */
/** @typedef {Omit<Deployment, 'deployedAt'> & { readonly stamp?: string }} Artifact  the description of a build */
/** @typedef {import('./shell-compatibility.mjs').ShellOffer} ShellOffer */
/** @typedef {import('./signing.mjs').Trust} Trust */
/** @typedef {import('./signing.mjs').DeployKeys} DeployKeys */

/**
 * @template T
 * @param {string} file
 * @param {T} otherwise  the result if the file does not exist
 * @returns {Promise<T>}
 */
async function readJson(file, otherwise) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT') return otherwise;
    throw new Error(`${file} cannot be read: ${message}`);
  }
}

/**
 * @param {string} file
 * @param {unknown} value
 */
async function writeJson(file, value) {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(value, null, 1)}\n`);
  await rename(temporary, file);
}

/** @param {string} mfDir */
const registryFile = (mfDir) => path.join(mfDir, 'registry.json');
/** @param {string} mfDir @param {string} name */
const historyFile = (mfDir, name) => path.join(mfDir, name, 'history.json');

/**
 * Returns the live builds of each remote, the latest first, and the canaries. Earlier releases stored one build instead
 * of a list.
 * @param {string} mfDir
 * @returns {Promise<StoredRegistry>}
 */
export async function readRegistry(mfDir) {
  const { remotes, canaries = {} } = await readJson(registryFile(mfDir), { remotes: {}, canaries: {} });
  return {
    remotes: Object.fromEntries(Object.entries(remotes).map(([name, live]) => [name, [live].flat()])),
    canaries,
  };
}

/**
 * Returns the stored builds of a remote, oldest first. There are none if it was never deployed.
 * @param {string} mfDir
 * @param {string} name
 * @returns {Promise<StoredDeployment[]>}
 * @throws {Error} if the file cannot be read, or contains something else
 */
export async function readHistory(mfDir, name) {
  const file = historyFile(mfDir, name);
  /** @type {StoredDeployment[]} */
  const history = await readJson(file, []);
  const isList = Array.isArray(history) && history.every((build) => typeof build?.hash === 'string');
  if (!isList) throw new Error(`${file} is no list of builds`);
  return history;
}

/**
 * Checks whether a build was live and was not rolled back since.
 * @param {StoredDeployment} build
 */
export const isDeployed = ({ isRolledBack, stage }) => !isRolledBack && stage === undefined;

/**
 * Checks whether a build may be used: it is deployed, has a valid signature and is not revoked.
 * @param {StoredDeployment} build
 * @param {Trust} trust
 */
const isUsable = (build, trust) => isDeployed(build) && findTrustErrors(build, trust).length === 0;

/**
 * Returns the build that a shell runs: the latest usable one that it can run. Returns undefined if there is none.
 * @template {StoredDeployment} T
 * @param {readonly T[]} history  oldest first
 * @param {ShellOffer} shell
 * @param {Trust} trust
 */
export const findLive = (history, shell, trust) =>
  history.findLast((build) => findIncompatibilities(build, shell).length === 0 && isUsable(build, trust));

/**
 * Returns the canary of a remote: the latest one that was not ended. Returns undefined if there is none.
 * @param {readonly StoredDeployment[]} history
 * @param {Trust} trust
 */
const findCanary = (history, trust) =>
  history.findLast(
    (build) => build.stage === 'canary' && !build.isRolledBack && findTrustErrors(build, trust).length === 0,
  );

/**
 * Returns a stored build without its state.
 * @param {StoredDeployment} stored
 * @returns {Deployment}
 */
const toDeployment = (stored) =>
  /** @type {Deployment} */ (Object.fromEntries(Object.entries(stored).filter(([name]) => !STATE.includes(name))));

/**
 * Returns a canary as a live build. Whether its types and tests were checked stays recorded.
 * @param {StoredDeployment} canary
 * @param {Date} now
 * @returns {StoredDeployment}
 */
const toLiveBuild = (canary, now) => ({
  ...toDeployment(canary),
  deployedAt: now.toISOString(),
  ...(canary.isForced && { isForced: true }),
});

/**
 * Returns the state of a stored build without its description.
 * @param {StoredDeployment} stored
 */
const stateOf = (stored) => Object.fromEntries(Object.entries(stored).filter(([name]) => STATE.includes(name)));

/**
 * Returns the live builds of a remote, the latest first: one for each range of contract versions, and one for each
 * shell that was started recently. A build is left out if the range of a later one contains its range and no such
 * shell needs it.
 * @param {readonly StoredDeployment[]} history  oldest first
 * @param {readonly ShellOffer[]} shells
 * @param {Trust} trust
 * @returns {Deployment[]}
 */
function liveBuilds(history, shells, trust) {
  const usable = history.filter((build) => isUsable(build, trust));
  const needed = new Set(shells.map((shell) => findLive(usable, shell, trust)?.hash));
  /** @type {Deployment[]} */
  const live = [];
  for (const stored of usable.toReversed()) {
    const build = toDeployment(stored);
    const isReplaced = live.some((later) => containsRange(later.contract, build.contract));
    if (!isReplaced || needed.has(build.hash)) live.push(build);
  }
  return live;
}

/**
 * Checks whether the files of a deployment exist. A symbolic link is no copy of the files: they may be deleted.
 * @param {string} folder
 */
const isStored = (folder) =>
  lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Returns the files of a build that are missing or changed. There are none if the build is complete.
 * @param {string} folder
 * @param {Pick<Deployment, 'integrity' | 'assets' | 'server'>} build
 */
export async function findDamagedFiles(folder, build) {
  const damaged = [];
  for (const [file, digest] of digestsOf(build)) {
    const bytes = await readFile(path.join(folder, file)).catch(() => null);
    if (!bytes || digestOf(bytes) !== digest) damaged.push(file);
  }
  return damaged;
}

/**
 * @template T
 * @param {string} mfDir
 * @param {() => Promise<T>} work
 */
async function whileLocked(mfDir, work) {
  await mkdir(mfDir, { recursive: true });
  return withFileLock(path.join(mfDir, '.lock'), work);
}

/**
 * Stores the history of a remote and makes the builds live that follow from it.
 * @param {string} mfDir
 * @param {RemoteName} name
 * @param {readonly StoredDeployment[]} history
 * @param {ShellOffer} shell
 * @param {Trust} trust
 */
async function store(mfDir, name, history, shell, trust) {
  const live = liveBuilds(history, [shell, ...readShells(mfDir)], trust);
  const { remotes, canaries } = await readRegistry(mfDir);
  const { [name]: _ended, ...otherCanaries } = canaries;
  const canary = findCanary(history, trust);
  const { percent = 0, isAutomatic = false } = canary ?? {};
  const ownCanary = canary ? { [name]: { percent, isAutomatic, build: toDeployment(canary) } } : {};
  await writeJson(historyFile(mfDir, name), history);
  await writeJson(registryFile(mfDir), {
    remotes: { ...remotes, [name]: live },
    canaries: { ...otherCanaries, ...ownCanary },
  });
}

/**
 * Returns the fields of a build that are signed and stored.
 * @template {Artifact} T
 * @param {T} artifact
 */
export function toSigned({ stamp: _stamp, ...described }) {
  return { preloadTexts: {}, preloadData: {}, ...described };
}

/**
 * @param {Artifact} artifact
 * @param {DeployKeys} keys
 * @returns {Artifact} the build with a valid signature
 * @throws {Error} if it has none and there is no key with which it could be signed, or if it is revoked
 */
function signIfNeeded(artifact, { privateKey, trust }) {
  const described = toSigned(artifact);
  const signed = described.signature || privateKey === null ? described : signBuild(described, privateKey);
  const errors = findTrustErrors(signed, trust);
  if (errors.length > 0) throw new Error(`${artifact.name} ${artifact.hash} ${errors.join('; ')}`);
  return signed;
}

/**
 * @typedef {object} DeployOptions
 * @property {string} mfDir
 * @property {string} dist   the folder of the build
 * @property {Artifact} artifact
 * @property {ShellOffer} shell   the live shell
 * @property {number} [canaryPercent]   gives the build to this share of browsers, from 1 to 99, without making it live
 * @property {boolean} [isAutomatic]   lets the server give a good canary to more browsers until it is live
 * @property {boolean} [endsCanary]   makes the canary live; the build must be this canary
 * @property {boolean} [isPreview]   stores the build without making it live
 * @property {boolean} [isForced]   records that the types and tests of the build were not checked
 * @property {boolean} [isAhead]   allows a build for a later shell, which the live one cannot run
 * @property {DeployKeys} [keys]   by default those of the environment variables, or of this machine
 * @property {Date} [now]
 */
/**
 * Returns the history after a deployment.
 * @param {readonly StoredDeployment[]} history
 * @param {Deployment} entry
 * @param {{ isPreview: boolean, canaryPercent: number | undefined, isAutomatic: boolean, shell: ShellOffer,
 * trust: Trust }} kind
 * @returns {StoredDeployment[]}
 * @throws {Error} if a canary is not possible
 */
function addToHistory(history, entry, { isPreview, canaryPercent, isAutomatic, shell, trust }) {
  const { name, hash } = entry;
  const known = history.find((other) => other.hash === hash);
  // A preview of a stored build replaces its description and signature, but changes nothing about its state.
  if (isPreview && known) {
    const described = { ...entry, deployedAt: known.deployedAt, ...stateOf(known) };
    return history.map((other) => (other === known ? described : other));
  }
  if (isPreview) return [...history, { ...entry, stage: 'preview' }];
  // Each remote has one canary, and a live deployment ends it.
  const others = history
    .filter((other) => other.hash !== hash)
    .map((other) => (other.stage === 'canary' && !other.isRolledBack ? { ...other, isRolledBack: true } : other));
  if (canaryPercent === undefined) return [...others, entry];
  const live = findLive(history, shell, trust);
  if (!live) throw new Error(`${name} has no live build with which a canary could be compared. Deploy it instead`);
  if (live.hash === hash) throw new Error(`${name} ${hash} is live already`);
  // Another share of the same canary does not start it again.
  const running = known?.stage === 'canary' && !known.isRolledBack ? known : null;
  const canary = {
    ...entry,
    ...(running && { deployedAt: running.deployedAt }),
    ...(running?.comparison && { comparison: running.comparison }),
    ...liveAtOf(known, running),
    stage: /** @type {const} */ ('canary'),
    percent: canaryPercent,
  };
  return [...others, isAutomatic ? { ...canary, isAutomatic } : canary];
}

/**
 * Returns when a build that becomes a canary was deployed live, as a field. Returns no field if it was never live, or
 * was rolled back since.
 * @param {StoredDeployment | undefined} known
 * @param {StoredDeployment | null} running  the running canary, if this build is the canary already
 */
function liveAtOf(known, running) {
  const liveAt = known && isDeployed(known) ? known.deployedAt : running?.liveAt;
  return liveAt === undefined ? {} : { liveAt };
}

/**
 * Stores a build of a remote and makes it live for all shells that can run it. Other shells continue with their builds.
 * Signs a build without a signature.
 * @param {DeployOptions} options
 * @returns {Promise<{ entry: StoredDeployment, before: string | null, isLive: boolean, endedCanary: string | null }>}
 * the build, and the hashes of the one that the live shell has run before, and of another canary, which has ended.
 * `isLive` is false for a preview, and if only a later shell will run the build
 * @throws {Error} if a value is invalid, if the live shell cannot run the build, or if it has no valid signature
 */
export async function deploy(options) {
  const { mfDir, dist, artifact, shell, isPreview = false, canaryPercent, isAhead = false, keys } = options;
  const { isAutomatic = false, isForced = false, endsCanary = false, now = new Date() } = options;
  if (canaryPercent !== undefined && !(Number.isInteger(canaryPercent) && canaryPercent > 0 && canaryPercent < 100))
    throw new Error('A canary gets from 1 to 99 percent of all browsers');
  requireValidEntry(artifact);
  if (!isAhead) requireFit(artifact, shell);
  const usedKeys = keys ?? deployKeys(process.env, mfDir);
  const { trust } = usedKeys;
  const entry = {
    ...signIfNeeded(artifact, usedKeys),
    deployedAt: now.toISOString(),
    ...(isForced && { isForced }),
  };
  const { name, hash } = entry;
  return whileLocked(mfDir, async () => {
    const history = await readHistory(mfDir, name);
    const before = findLive(history, shell, trust)?.hash ?? null;
    const canary = isPreview ? undefined : findCanary(history, trust);
    const endedCanary = canary && canary.hash !== hash ? canary.hash : null;
    if (endsCanary && hash !== (canary?.hash ?? before))
      throw new Error(
        `${name} ${hash} is no canary${endedCanary ? `; the canary ${endedCanary} has other sources` : ''}. ` +
          'Deploy it without --canary to make it live',
      );
    const folder = path.join(mfDir, name, hash);
    // Files that were changed or are missing are replaced. Files of another build of the same name are not possible.
    if (!(await isStored(folder)) || (await findDamagedFiles(folder, entry)).length > 0) {
      const incoming = `${folder}.incoming`;
      await rm(incoming, { recursive: true, force: true });
      // The result of a build is a symbolic link, and `cp` would copy the link itself.
      await cp(await realpath(dist), incoming, { recursive: true });
      // The copy has the mode of its source, which may be a temporary folder. The user of the shell may be another one.
      await chmod(incoming, 0o755);
      await rm(folder, { recursive: true, force: true });
      await rename(incoming, folder);
    }
    const stored = addToHistory(history, entry, { isPreview, canaryPercent, isAutomatic, shell, trust });
    const live = liveBuilds(stored, [shell, ...readShells(mfDir)], trust);
    const retained = await retain(mfDir, stored, new Set([hash, ...live.map((build) => build.hash)]), now);
    await store(mfDir, name, retained, shell, trust);
    await removeOthers(path.join(mfDir, name), new Set(retained.map((other) => other.hash)));
    const known = retained.find((other) => other.hash === hash) ?? entry;
    return { entry: known, before, isLive: findLive(retained, shell, trust)?.hash === hash, endedCanary };
  });
}

/**
 * Returns the builds that remain stored: the live ones, the one before each of them, and those that were replaced or
 * used in the last days, up to the maximum numbers. The folder of a build has the time of its last use
 * (shell/server/remote-files.ts).
 * @param {string} mfDir
 * @param {readonly StoredDeployment[]} history
 * @param {ReadonlySet<string>} live  the hashes of the live builds and of the one that is just deployed
 * @param {Date} now
 */
async function retain(mfDir, history, live, now) {
  const oldest_ms = now.getTime() - RETENTION_days * DAY_ms;
  const retained = [];
  for (const [index, build] of history.entries()) {
    const next = history[index + 1];
    const used_ms = await stat(path.join(mfDir, build.name, build.hash)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const lastNeeded_ms = Math.max(Date.parse(next?.deployedAt ?? '') || now.getTime(), used_ms);
    const replacement = history.slice(index + 1).find(isDeployed);
    const isCanary = build.stage === 'canary' && !build.isRolledBack;
    const stays = isCanary || live.has(build.hash) || (isDeployed(build) && replacement && live.has(replacement.hash));
    if (stays || lastNeeded_ms > oldest_ms) retained.push({ build, stays, lastNeeded_ms });
  }
  const optional = retained.filter(({ stays }) => !stays).sort((one, other) => one.lastNeeded_ms - other.lastNeeded_ms);
  const previews = retained.filter(({ build }) => build.stage === 'preview').length;
  const surplus = optional
    .filter(({ build }) => build.stage === 'preview')
    .slice(0, Math.max(0, previews - PREVIEWS_MAX));
  const others = optional.filter((one) => !surplus.includes(one));
  const removed = new Set([...surplus, ...others.slice(0, Math.max(0, retained.length - surplus.length - STORED_MAX))]);
  return retained.filter((one) => !removed.has(one)).map(({ build }) => build);
}

/**
 * Ends the canary of a remote, if it has one and no build is named. Otherwise, makes an earlier build live again for
 * the live shell: a named one, which may be a canary that was live before, or the last one that was live, was not
 * rolled back and is complete. Marks all later builds that the shell can run as rolled back, so that no rollback
 * returns to them.
 * @param {{ mfDir: string, name: RemoteName, shell: ShellOffer, to?: string | undefined, from?: string, reason?:
 * string, keys?: DeployKeys, now?: Date }} rollback  `to` is the hash of the build, or its first characters. `from` is
 * the hash of the build that is rolled back. Without it, this is the canary, or the live build if there is no canary.
 * If the build `from` is neither of them any more, nothing changes. `reason` is stored for the team
 * @returns {Promise<{ entry: Deployment, before: string, endedCanary?: string }>} the live build, and the one before.
 * If only a canary has ended, they are the same
 * @throws {Error} if there is no such build, if it was rolled back or revoked, or if the live shell cannot run it
 */
export async function rollback({ mfDir, name, shell, to, from, reason, keys, now = new Date() }) {
  const { trust } = keys ?? deployKeys(process.env, mfDir);
  return whileLocked(mfDir, async () => {
    const history = await readHistory(mfDir, name);
    const current = findLive(history, shell, trust);
    if (!current) throw new Error(`${name} is not deployed`);
    const mark = reason === undefined ? {} : { rollback: { at: now.toISOString(), reason } };
    const canary = findCanary(history, trust);
    const endedHash = (to === undefined && canary ? canary : current).hash;
    if (from !== undefined && from !== endedHash && from !== current.hash)
      throw new Error(`${name} ${from} is neither live nor a canary any more`);
    if (canary && to === undefined && from !== current.hash) {
      const ended = history.map((build) => (build === canary ? { ...build, isRolledBack: true, ...mark } : build));
      await store(mfDir, name, ended, shell, trust);
      return { entry: current, before: current.hash, endedCanary: canary.hash };
    }
    const target =
      to === undefined ? await findPrevious(mfDir, history, current, shell, trust) : findNamed(history, to, name);
    if (target.hash === current.hash) throw new Error(`${name} ${target.hash} is live already`);
    requireFit(target, shell);
    requireValidEntry(target);
    const [untrusted] = findTrustErrors(target, trust);
    if (untrusted) throw new Error(`${name} ${target.hash} ${untrusted}`);
    const damaged = await findDamagedFiles(path.join(mfDir, name, target.hash), target);
    if (damaged.length > 0) throw new Error(`${name} ${target.hash} is incomplete: ${damaged.join(', ')}`);
    // A canary that was live is at the end of the history, but the builds that were deployed after it are later ones.
    const entry = target.stage === 'canary' ? toLiveBuild(target, now) : { ...target, deployedAt: now.toISOString() };
    const at = history.indexOf(target);
    const { liveAt } = target;
    const changed = history.map((build, index) => {
      if (index === at) return entry;
      if (liveAt === undefined ? index < at : build.deployedAt <= liveAt) return build;
      if (!isDeployed(build) || findIncompatibilities(build, shell).length > 0) return build;
      return { ...build, isRolledBack: true, ...(build.hash === current.hash && mark) };
    });
    await store(mfDir, name, changed, shell, trust);
    return { entry, before: current.hash };
  });
}

/**
 * Gives the canary of a remote to another share of all browsers. It becomes live with 100.
 * @param {{ mfDir: string, name: RemoteName, hash: string, percent: number, shell: ShellOffer, keys: DeployKeys,
 * now?: Date }} change
 * @throws {Error} if the build is no canary any more
 */
export async function setCanaryShare({ mfDir, name, hash, percent, shell, keys: { trust }, now = new Date() }) {
  return whileLocked(mfDir, async () => {
    const history = await readHistory(mfDir, name);
    const canary = findCanary(history, trust);
    if (canary?.hash !== hash) throw new Error(`${name} ${hash} is no canary any more`);
    const changed =
      percent < 100
        ? history.map((build) => (build === canary ? { ...build, percent } : build))
        : [...history.filter((build) => build !== canary), toLiveBuild(canary, now)];
    await store(mfDir, name, changed, shell, trust);
  });
}

/**
 * Stores the beginning of a comparison in the history, unless another server has just stored one with the same build.
 * @param {{ mfDir: string, name: RemoteName, hash: string, comparison: Comparison }} change
 */
export async function storeComparison({ mfDir, name, hash, comparison }) {
  return whileLocked(mfDir, async () => {
    const history = await readHistory(mfDir, name);
    const changed = history.map((build) =>
      build.hash === hash && build.comparison?.before !== comparison.before ? { ...build, comparison } : build,
    );
    await writeJson(historyFile(mfDir, name), changed);
  });
}

/**
 * @param {string} mfDir
 * @param {readonly StoredDeployment[]} history
 * @param {StoredDeployment} current
 * @param {ShellOffer} shell
 * @param {Trust} trust
 * @returns {Promise<StoredDeployment>}
 * @throws {Error} if there is no earlier build to which a rollback may return
 */
async function findPrevious(mfDir, history, current, shell, trust) {
  const { name } = current;
  const earlier = history.slice(0, history.indexOf(current)).filter(isDeployed);
  const reasons = [];
  for (const build of earlier.toReversed()) {
    const problems = [...findIncompatibilities(build, shell), ...findTrustErrors(build, trust)];
    if (problems.length === 0) {
      // All files are read, so this comes last.
      const damaged = await findDamagedFiles(path.join(mfDir, name, build.hash), build);
      if (damaged.length > 0) problems.push('is incomplete');
    }
    if (problems.length === 0) return build;
    reasons.push(`${name} ${build.hash} ${problems.join('; ')}`);
  }
  throw new Error([`${name} has no deployment before ${current.hash} to return to`, ...reasons].join('\n'));
}

/**
 * @param {readonly StoredDeployment[]} history
 * @param {string} to
 * @param {RemoteName} name
 * @returns {StoredDeployment}
 * @throws {Error} if not exactly one build has this hash, or if it was rolled back
 */
function findNamed(history, to, name) {
  const found = to === '' ? [] : history.filter(({ hash }) => hash.startsWith(to));
  const [target] = found;
  if (!target || found.length > 1) {
    const known = history.filter(isDeployed).map(({ hash }) => hash);
    throw new Error(`${name} has ${found.length || 'no'} stored builds ${to}. Name one of: ${known.join(', ')}`);
  }
  if (target.isRolledBack && (target.stage === undefined || target.liveAt !== undefined))
    throw new Error(`${name} ${target.hash} was rolled back. A rollback does not return to it; deploy it instead`);
  if (target.stage && target.liveAt === undefined)
    throw new Error(`${name} ${target.hash} was never live. Deploy it instead`);
  return target;
}

/**
 * Returns the output lines that report a deployment.
 * @param {{ entry: StoredDeployment, before: string | null, isLive?: boolean, endedCanary?: string | null }} deployment
 */
export function describeDeployment({ entry, before, isLive = true, endedCanary = null }) {
  const { name, hash } = entry;
  const ended = endedCanary === null ? [] : [`${name.padEnd(13)} ${endedCanary} is no canary any more`];
  return [...ended, `${name.padEnd(13)} ${hash} ${describeState(entry, before, isLive)}`].join('\n');
}

/**
 * @param {StoredDeployment} entry
 * @param {string | null} before
 * @param {boolean} isLive
 */
function describeState({ hash, contract, stage, percent }, before, isLive) {
  if (stage === 'canary') return `is a canary for ${percent} % of browsers (live: ${before})`;
  if (stage) return 'is a preview';
  if (!isLive) return `is stored for shells with contract ${contract}`;
  return `is live${before && before !== hash ? ` (before: ${before})` : ''}`;
}

/**
 * @param {string} dir
 * @param {Set<string>} hashes
 */
async function removeOthers(dir, hashes) {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if ((entry.isDirectory() || entry.isSymbolicLink()) && !hashes.has(entry.name))
      await rm(path.join(dir, entry.name), { recursive: true, force: true });
  }
}

/**
 * Checks whether a build must be deployed. This is necessary if it is not live, or if the shell has no live build. A
 * build that was rolled back or revoked, a preview and a canary do not become live.
 * @param {{ mfDir: string, name: RemoteName, hash: string, shell: ShellOffer, keys?: DeployKeys }} build
 */
export async function needsDeploy({ mfDir, name, hash, shell, keys }) {
  const { trust } = keys ?? deployKeys(process.env, mfDir);
  const history = await readHistory(mfDir, name);
  const live = findLive(history, shell, trust);
  if (!live || !(await isStored(path.join(mfDir, name, live.hash)))) return true;
  if (hash === live.hash || trust.revoked.includes(hash)) return false;
  const known = history.find((build) => build.hash === hash);
  return known === undefined || isDeployed(known);
}
