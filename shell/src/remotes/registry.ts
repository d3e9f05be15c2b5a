import { REMOTE_NAMES, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui';

export const REGISTRY_URL = '/mf/registry.json';
/** The entry file of every remote (shell/build/packages.mjs). */
export const REMOTE_ENTRY = 'remote-entry.js';

const FETCH_TIMEOUT_ms = 30_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands in the registry for one remote; null when it makes no sense, which then costs that remote alone. */
function parseEntry(name: RemoteName, value: unknown): RegistryEntry | null {
  if (!isObject(value) || value['name'] !== name) return null;
  const { hash, contractVersion, integrity, sizeBytes, deployedAt } = value;
  if (typeof hash !== 'string' || !/^[0-9a-f]{16}$/u.test(hash) || typeof contractVersion !== 'number') return null;
  if (
    !isObject(integrity) ||
    !Object.values(integrity).every((one) => typeof one === 'string' && /^sha384-[\w+/]{64}$/u.test(one))
  )
    return null;
  if (!(REMOTE_ENTRY in integrity)) return null;
  return {
    name,
    hash,
    contractVersion,
    integrity: integrity as Record<string, string>,
    // For the server, which puts them into the first HTML; nothing here reads them.
    preload: [],
    sizeBytes: typeof sizeBytes === 'number' ? sizeBytes : 0,
    deployedAt: typeof deployedAt === 'string' ? deployedAt : '',
  };
}

/** @throws {Error} when it is no registry at all */
export function parseRegistry(value: unknown): Registry {
  if (!isObject(value) || !isObject(value['remotes'])) throw new Error('The registry of remotes is not readable');
  const remotes: Partial<Record<RemoteName, RegistryEntry>> = {};
  for (const name of REMOTE_NAMES) {
    const entry = parseEntry(name, value['remotes'][name]);
    if (entry) remotes[name] = entry;
  }
  return { remotes };
}

/** @throws {Error} when it cannot be reached or read */
export async function fetchRegistry(): Promise<Registry> {
  // The server sends it as no-cache: every call asks whether it is still the newest, and the first one is preloaded by the page.
  const response = await fetch(REGISTRY_URL, { signal: AbortSignal.timeout(FETCH_TIMEOUT_ms) });
  if (!response.ok) throw new Error(`The registry of remotes answered HTTP ${response.status}`);
  return parseRegistry(await response.json());
}
