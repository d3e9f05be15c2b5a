import { REMOTE_NAMES, type Registry, type RegistryEntry, type RemoteName } from '@alpenglow/ui';

const REGISTRY_URL = '/mf/registry.json';
/** The name of the entry file of every remote (shell/build/packages.mjs). */
export const REMOTE_ENTRY = 'remote-entry.js';

const FETCH_TIMEOUT_ms = 30_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Validates the registry entry of one remote. Returns null if it is invalid, so that other remotes still load. */
function parseEntry(name: RemoteName, value: unknown): RegistryEntry | null {
  if (!isObject(value) || value['name'] !== name) return null;
  const { hash, contractVersion, integrity, sizeBytes, deployedAt } = value;
  if (typeof hash !== 'string' || !/^[0-9a-f]{16}$/u.test(hash) || typeof contractVersion !== 'number') return null;
  if (
    !isObject(integrity) ||
    !Object.values(integrity).every((hashText) => typeof hashText === 'string' && /^sha384-[\w+/]{64}$/u.test(hashText))
  )
    return null;
  if (!(REMOTE_ENTRY in integrity)) return null;
  return {
    name,
    hash,
    contractVersion,
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
  const remotes: Partial<Record<RemoteName, RegistryEntry>> = {};
  for (const name of REMOTE_NAMES) {
    const entry = parseEntry(name, value['remotes'][name]);
    if (entry) remotes[name] = entry;
  }
  return { remotes };
}

/** @throws {Error} if the registry cannot be fetched or parsed */
export async function fetchRegistry(): Promise<Registry> {
  // The server sends `no-cache`, so the browser checks with every request whether the registry has changed.
  const response = await fetch(REGISTRY_URL, { signal: AbortSignal.timeout(FETCH_TIMEOUT_ms) });
  if (!response.ok) throw new Error(`The registry of remotes responded with HTTP ${response.status}`);
  return parseRegistry(await response.json());
}
