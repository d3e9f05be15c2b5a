import { createTimeLimit, OFFERED_CONTRACTS, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui';

const REGISTRY_URL = '/mf/registry.json';

const FETCH_TIMEOUT_ms = 30_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The contract versions of this shell, as the server writes them. */
const CONTRACTS = OFFERED_CONTRACTS.join(',');

const majorsOf = (versions: unknown) =>
  String(versions)
    .split(',')
    .map((version) => version.split('.')[0]);

/**
 * Validates the registry entry of one remote. `isOfThisShell` is false if the server has only computed `fits` for
 * other major versions of the contract. `fits` then becomes false. Returns null if the entry is invalid, so that other
 * remotes still load. A remote that does not work with this shell is not loaded, so the format of its other values is
 * not checked.
 */
function parseEntry(name: RemoteName, value: unknown, isOfThisShell: boolean): RegistryEntry | null {
  if (!isObject(value) || value['name'] !== name) return null;
  const { hash, contract, container, entry, integrity, sizeBytes, deployedAt } = value;
  const fits = isOfThisShell && value['fits'] === true;
  if (typeof hash !== 'string' || !/^[0-9a-f]{16}$/u.test(hash) || typeof contract !== 'string') return null;
  if (
    fits &&
    (!isObject(integrity) ||
      !Object.values(integrity).every(
        (hashText) => typeof hashText === 'string' && /^sha256-[\w+/]{43}=$/u.test(hashText),
      ) ||
      typeof container !== 'string' ||
      typeof entry !== 'string' ||
      !(entry in integrity))
  )
    return null;
  return {
    name,
    hash,
    contract,
    fits,
    container: container as string,
    entry: entry as string,
    integrity: integrity as Record<string, string>,
    // Only the server uses this field. It contains the files that the first HTML preloads.
    preload: [],
    sizeBytes: typeof sizeBytes === 'number' ? sizeBytes : 0,
    deployedAt: typeof deployedAt === 'string' ? deployedAt : '',
  };
}

/** @throws {Error} if `value` is not a registry */
export function parseRegistry(value: unknown): Registry {
  if (!isObject(value) || !isObject(value['remotes'])) throw new Error('The registry of remotes is invalid');
  const own = majorsOf(CONTRACTS);
  const isOfThisShell = majorsOf(value['contract']).some((major) => own.includes(major));
  const remotes: Partial<Record<RemoteName, RegistryEntry>> = {};
  for (const [name, described] of Object.entries(value['remotes'])) {
    const entry = parseEntry(name, described, isOfThisShell);
    if (entry) remotes[name] = entry;
  }
  return { remotes };
}

/** A smaller difference is ignored. The precision of `Date` or the time of the response can cause it. */
const CLOCK_TOLERANCE_ms = 10_000;
/** A response that takes longer is not used, because its `Date` may be out of date. */
const SLOW_ms = 5_000;

/**
 * Records how much the clock of the browser differs from that of the server, for times such as "3 hours ago".
 * @param date the `Date` header of a response that has just arrived
 * @param requested_ms the value of `performance.now()` when it was requested
 */
export function recordServerTime(date: string | null, requested_ms: number): void {
  if (performance.now() - requested_ms > SLOW_ms) return;
  const offset_ms = Date.parse(date ?? '') - Date.now();
  globalThis.alpenglowClockOffset_ms = Math.abs(offset_ms) > CLOCK_TOLERANCE_ms ? offset_ms : undefined;
}

/** @throws {Error} if the registry cannot be fetched or parsed */
export async function fetchRegistry(): Promise<Registry> {
  const registry = await requestRegistry(REGISTRY_URL);
  // The server has another shell than this tab, so the tab requests the builds for its own contract versions.
  const isOfOtherShell = isObject(registry) && registry['contract'] !== CONTRACTS;
  return parseRegistry(isOfOtherShell ? await requestRegistry(`${REGISTRY_URL}?contract=${CONTRACTS}`) : registry);
}

async function requestRegistry(url: string): Promise<unknown> {
  // The server sends `no-cache`, so the browser checks with every request whether the registry has changed.
  const requested_ms = performance.now();
  const response = await fetch(url, { signal: createTimeLimit(FETCH_TIMEOUT_ms) });
  if (!response.ok) throw new Error(`The registry of remotes responded with HTTP ${response.status}`);
  recordServerTime(response.headers.get('date'), requested_ms);
  return response.json();
}
