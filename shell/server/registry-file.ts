import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  CONTRACT_VERSION,
  OFFERED_CONTRACTS,
  type Registry,
  type RegistryEntry,
  type RemoteName,
  type RemoteRoute,
} from '@alpenglow/ui/contract';
import major from 'semver/functions/major.js';
import valid from 'semver/functions/valid.js';
import { findEntryErrors, findIdentityErrors, isRemoteName, isRoute } from '../build/registry-entry.mjs';
import { isDeployed, readHistory } from '../build/registry.mjs';
import { findIncompatibilities, type ShellOffer } from '../build/shell-compatibility.mjs';
import { findTrustErrors, type Trust } from '../build/signing.mjs';
import { whenReplaced } from './when-replaced.ts';

/** The live builds of the remotes, as this server has read them. */
export interface LiveBuilds extends Registry {
  /** The build of each remote that this shell runs. `fits` is false if it can run none of the live builds. */
  readonly remotes: Registry['remotes'];
  /** All live builds of each remote, the latest first. */
  readonly builds: Readonly<Record<RemoteName, readonly RegistryEntry[]>>;
  /** The builds that a part of all browsers gets, if this shell can run them. */
  readonly canaries: Readonly<Record<RemoteName, Canary>>;
}

export interface Canary {
  readonly percent: number;
  /** True if the server gives it to more browsers while it is good. */
  readonly isAutomatic: boolean;
  readonly build: RegistryEntry;
}

/** The number of contract versions that a tab may state. A shell offers two during a move. */
const CONTRACTS_MAX = 4;

const EMPTY: LiveBuilds = { remotes: {}, builds: {}, canaries: {} };

interface BuildRules {
  /** What this shell offers. */
  readonly shell: ShellOffer;
  /** Whose builds are used. */
  readonly trust: Trust;
}

interface RegistryReaderOptions extends BuildRules {
  readonly mfDir: string;
  readonly log: { warn(fields: object, text: string): void };
}

/**
 * Creates a function that returns the current registry of remotes. The function reads the registry file again only
 * after a deployment has replaced the file. If the file cannot be read, the last registry is returned, or an empty one.
 * An entry that is invalid or has no valid signature is logged, and an earlier deployment of the remote is used. A
 * remote without a build that this shell can run is logged, too.
 */
export function createRegistryReader({ mfDir, log, ...rules }: RegistryReaderOptions): () => Promise<LiveBuilds> {
  const file = path.join(mfDir, 'registry.json');
  let last = EMPTY;
  const read = whenReplaced(file, async () => {
    const { builds, canaries, invalid } = parsed(JSON.parse(await readFile(file, 'utf8')), rules);
    for (const { name, hash } of invalid) {
      const earlier = last.builds[name] ?? (await findInHistory(mfDir, name, hash, rules).catch(() => []));
      builds.set(name, [...(builds.get(name) ?? []), ...earlier]);
    }
    const registry = toLiveBuilds(builds, canaries);
    warnOfProblems(registry, invalid, rules.shell, log);
    return registry;
  });
  return async () => {
    try {
      last = await read();
    } catch (error) {
      // It is the same object as before, because caches of pages follow each new object and never return to an old one.
      log.warn({ err: error, file }, 'the registry of remotes cannot be read');
    }
    return last;
  };
}

function toLiveBuilds(
  builds: ReadonlyMap<string, readonly RegistryEntry[]>,
  canaries: LiveBuilds['canaries'],
): LiveBuilds {
  const known = [...builds].filter(([, list]) => list.length > 0);
  return {
    remotes: Object.fromEntries(
      known.flatMap(([name, list]) => {
        const chosen = list.find(({ fits }) => fits) ?? list[0];
        return chosen ? [[name, chosen.fits ? chosen : reduceUnfitEntry(chosen)] as const] : [];
      }),
    ),
    builds: Object.fromEntries(known),
    canaries,
  };
}

function warnOfProblems(
  registry: LiveBuilds,
  invalid: readonly InvalidEntry[],
  shell: ShellOffer,
  log: { warn(fields: object, text: string): void },
): void {
  for (const { name, errors } of invalid)
    log.warn(
      { remote: name, errors, hash: registry.remotes[name]?.hash ?? null },
      'the deployment of a remote is invalid, so an earlier one is used, or none',
    );
  for (const { name, hash, fits } of Object.values(registry.remotes).filter(isDefined)) {
    const latest = registry.builds[name]?.[0];
    if (!fits && latest)
      log.warn(
        { remote: name, hash, reasons: findIncompatibilities(latest, shell) },
        'a remote is not loaded, because this shell can run none of its live builds',
      );
  }
}

/**
 * Returns the registry as browsers receive it. An open tab may run another shell, so it may state the contract versions
 * of its shell, separated by commas. The result contains these versions, and of each remote the latest live build that
 * works with one of them. Each entry has a `contractVersion`, because shells before contract 6 require this number, and
 * do not load a remote with a number other than their own.
 * @param choice the builds of the visitor. A tab with another shell gets live builds only
 * @param versions the contract versions of the tab, by default those of this shell
 */
export function toResponse(
  { live, registry }: { readonly live: LiveBuilds; readonly registry: Registry },
  versions: unknown = undefined,
) {
  const stated = typeof versions === 'string' ? versions.split(',') : [];
  const isStated = stated.length > 0 && stated.length <= CONTRACTS_MAX && stated.every((one) => valid(one) !== null);
  const contracts = isStated ? stated : OFFERED_CONTRACTS;
  const contract = contracts.join(',');
  const chosen =
    contract === OFFERED_CONTRACTS.join(',')
      ? Object.values(registry.remotes).filter(isDefined)
      : Object.values(live.builds).flatMap((list) => chooseFor(list, { hash: '', contracts }) ?? []);
  return {
    contract,
    remotes: Object.fromEntries(
      chosen.map(({ packages: _packages, tokens: _tokens, assets: _assets, signature: _signature, ...entry }) => [
        entry.name,
        { ...entry, contractVersion: major(CONTRACT_VERSION) },
      ]),
    ),
  };
}

/**
 * Returns the latest build that another shell can run, with `fits`. If there is none, returns the latest build.
 * Its shared packages are not compared, because the first number of the contract changes with incompatible ones.
 */
function chooseFor(list: readonly RegistryEntry[], shell: ShellOffer): RegistryEntry | undefined {
  const usable = list.filter(({ container }) => container !== '');
  const chosen = usable.find((build) => findIncompatibilities(build, shell).length === 0);
  return chosen ? { ...chosen, fits: true } : list[0] && reduceUnfitEntry(list[0]);
}

/** An entry that the server ignores. */
interface InvalidEntry {
  readonly name: string;
  readonly hash: unknown;
  readonly errors: readonly string[];
}

/** Validates a registry. Separates invalid entries, so that the mistake of one team affects only its own remote. */
function parsed(
  value: unknown,
  rules: BuildRules,
): {
  readonly builds: Map<string, readonly RegistryEntry[]>;
  readonly canaries: LiveBuilds['canaries'];
  readonly invalid: InvalidEntry[];
} {
  if (!isObject(value) || !isObject(value['remotes'])) throw new Error('The file is not a registry');
  const builds = new Map<string, RegistryEntry[]>();
  const invalid: InvalidEntry[] = [];
  for (const [name, live] of Object.entries(value['remotes'])) {
    // Earlier releases stored one build instead of a list.
    for (const described of [live].flat()) {
      const { entry, errors } = parseEntry(name, described, rules);
      if (entry) builds.set(name, [...(builds.get(name) ?? []), entry]);
      else invalid.push({ name, hash: isObject(described) ? described['hash'] : undefined, errors });
    }
  }
  const described = isObject(value['canaries']) ? Object.entries(value['canaries']) : [];
  const canaries = described.flatMap(([name, canary]) => {
    if (!isObject(canary)) return [];
    const { percent, isAutomatic = false, build } = canary;
    const { entry } = parseEntry(name, build, rules);
    if (!entry?.fits || typeof percent !== 'number' || typeof isAutomatic !== 'boolean') return [];
    return [[name, { percent, isAutomatic, build: entry }] as const];
  });
  return { builds, canaries: Object.fromEntries(canaries), invalid };
}

/** Validates the entry of a remote. The result has an `entry` or `errors`. */
function parseEntry(
  name: string,
  value: unknown,
  { shell, trust }: BuildRules,
): { readonly entry?: RegistryEntry; readonly errors: readonly string[] } {
  if (!isObject(value)) return { errors: ['the entry is no object'] };
  if (value['name'] !== name) return { errors: ['the entry has the name of another remote'] };
  const identityErrors = findIdentityErrors(value);
  if (identityErrors.length > 0) return { errors: identityErrors };
  const trustErrors = findTrustErrors(value, trust);
  if (trustErrors.length > 0) return { errors: trustErrors };
  // The casts are safe, because the values are checked.
  const isForOtherContract = findIncompatibilities({ name, contract: value['contract'] }, shell).length > 0;
  const errors = findEntryErrors(value);
  if (errors.length > 0)
    return isForOtherContract ? { entry: reduceUnfitEntry(value as NamedEntry), errors: [] } : { errors };
  const entry = value as unknown as RegistryEntry;
  return { entry: { ...entry, fits: findIncompatibilities(entry, shell).length === 0 }, errors };
}

/**
 * Returns the newest valid deployment of a remote before the invalid one `hash`: preferably one that this shell can
 * run. Builds that were never live or were rolled back are left out. The files of the result are still stored.
 * @throws {Error} if the file with the stored deployments cannot be read
 */
async function findInHistory(
  mfDir: string,
  name: string,
  hash: unknown,
  rules: BuildRules,
): Promise<readonly RegistryEntry[]> {
  if (!isRemoteName(name)) return [];
  const history = await readHistory(mfDir, name);
  const live = history.findIndex((described) => described.hash === hash);
  const earlier = history
    .slice(0, live === -1 ? undefined : live)
    .filter(isDeployed)
    .map((described) => parseEntry(name, described, rules).entry)
    .filter(isDefined);
  const chosen = earlier.findLast(({ fits }) => fits) ?? earlier.at(-1);
  return chosen ? [chosen] : [];
}

/**
 * Creates a function that finds a stored build of a remote, also one that is not live any more: open tabs still load
 * its files. Builds without a valid signature are not found.
 */
export function createStoredBuilds({ mfDir, ...rules }: BuildRules & { readonly mfDir: string }) {
  const readers = new Map<RemoteName, () => Promise<ReadonlyMap<string, RegistryEntry>>>();
  const createReader = (name: RemoteName) =>
    whenReplaced(path.join(mfDir, name, 'history.json'), async () => {
      const builds = (await readHistory(mfDir, name)).flatMap((one) => parseEntry(name, one, rules).entry ?? []);
      return new Map(builds.map((build) => [build.hash, build]));
    });
  return async (name: RemoteName, hash: string): Promise<RegistryEntry | null> => {
    if (!isRemoteName(name)) return null;
    const reader = readers.get(name) ?? createReader(name);
    // The remote may never have been deployed. Browsers can request any name, so only readers of stored files remain.
    const builds = await reader().catch(() => null);
    if (builds) readers.set(name, reader);
    return builds?.get(hash) ?? null;
  };
}

/**
 * Returns a reduced entry for a remote that does not work with this shell. It has only the values that pages need. The
 * shell does not load this remote, and its other values may have another format.
 */
function reduceUnfitEntry({ name, hash, contract, routes, sizeBytes, deployedAt }: NamedEntry): RegistryEntry {
  return {
    ...{ name, hash, contract, fits: false, container: '', entry: '', preload: [], integrity: {} },
    routes: Array.isArray(routes) ? routes.filter((route): route is RemoteRoute => isRoute(route)) : [],
    sizeBytes: typeof sizeBytes === 'number' ? sizeBytes : 0,
    deployedAt: typeof deployedAt === 'string' ? deployedAt : '',
  };
}

type NamedEntry = Readonly<Partial<Record<keyof RegistryEntry, unknown>>> &
  Pick<RegistryEntry, 'name' | 'hash' | 'contract'>;

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
