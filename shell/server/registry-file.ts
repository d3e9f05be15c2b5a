import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { CONTRACT_VERSION, type Registry, type RegistryEntry, type RemoteRoute } from '@alpenglow/ui/contract';
import major from 'semver/functions/major.js';
import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import { findEntryErrors, findIdentityErrors, isRemoteName, isRoute } from '../build/registry-entry.mjs';

const EMPTY: Registry = { remotes: {} };

/**
 * Creates a function that returns the current registry of remotes. The function reads the registry file again only
 * after a deployment has replaced the file. If the file cannot be read, the registry is empty. An invalid entry is
 * logged, and the earlier deployment of the remote is used. A remote whose range of contract versions excludes the one
 * of this shell is logged, too.
 */
export function createRegistryReader(
  mfDir: string,
  log: { warn(fields: object, text: string): void },
): () => Promise<Registry> {
  const file = path.join(mfDir, 'registry.json');
  let cached = { version: '', registry: EMPTY };
  return async () => {
    try {
      const { ino, mtimeMs } = await stat(file);
      const version = `${ino}:${mtimeMs}`;
      if (version !== cached.version) {
        const { valid, invalid } = parsed(JSON.parse(await readFile(file, 'utf8')));
        for (const { name, hash } of invalid) {
          const earlier =
            cached.registry.remotes[name] ?? (await findInHistory(mfDir, name, hash).catch(() => undefined));
          if (earlier) valid.set(name, earlier);
        }
        const registry: Registry = { remotes: Object.fromEntries(valid) };
        // Concurrent requests return the same object, because a new object empties the caches of pages.
        if (version !== cached.version) {
          cached = { version, registry };
          for (const { name, errors } of invalid)
            log.warn(
              { remote: name, errors, hash: registry.remotes[name]?.hash ?? null },
              'the deployment of a remote is invalid, so an earlier one is used, or none',
            );
          for (const { name, hash, contract, fits } of Object.values(registry.remotes).filter(isDefined))
            if (!fits)
              log.warn(
                { remote: name, hash, contract, version: CONTRACT_VERSION },
                'a remote is not loaded, because its range of contract versions excludes that of the shell',
              );
        }
      }
    } catch (error) {
      log.warn({ err: error, file }, 'the registry of remotes cannot be read');
      return EMPTY;
    }
    return cached.registry;
  };
}

/**
 * Returns the registry as browsers receive it. An open tab may run another shell, so it may state its contract version.
 * `fits` is about this version, which the result contains. Each entry has a `contractVersion`, because shells before
 * contract 6 require this number, and do not load a remote with a number other than their own.
 * @param version the contract version of the tab, by default that of this shell
 */
export function toResponse({ remotes }: Registry, version: unknown = CONTRACT_VERSION) {
  const contract = typeof version === 'string' && valid(version) !== null ? version : CONTRACT_VERSION;
  return {
    contract,
    remotes: Object.fromEntries(
      Object.values(remotes)
        .filter(isDefined)
        .map((entry) => [
          entry.name,
          {
            ...entry,
            fits: entry.fits && satisfies(contract, entry.contract),
            contractVersion: major(CONTRACT_VERSION),
          },
        ]),
    ),
  };
}

/** An entry that the server ignores. */
interface InvalidEntry {
  readonly name: string;
  readonly hash: unknown;
  readonly errors: readonly string[];
}

/** Validates a registry. Separates invalid entries, so that the mistake of one team affects only its own remote. */
function parsed(value: unknown): { readonly valid: Map<string, RegistryEntry>; readonly invalid: InvalidEntry[] } {
  if (!isObject(value) || !isObject(value['remotes'])) throw new Error('The file is not a registry');
  const valid = new Map<string, RegistryEntry>();
  const invalid: InvalidEntry[] = [];
  for (const [name, described] of Object.entries(value['remotes'])) {
    const { entry, errors } = parseEntry(name, described);
    if (entry) valid.set(name, entry);
    else invalid.push({ name, hash: isObject(described) ? described['hash'] : undefined, errors });
  }
  return { valid, invalid };
}

/** Validates the entry of a remote. The result has an `entry` or `errors`. */
function parseEntry(
  name: string,
  value: unknown,
): { readonly entry?: RegistryEntry; readonly errors: readonly string[] } {
  if (!isObject(value)) return { errors: ['the entry is no object'] };
  if (value['name'] !== name) return { errors: ['the entry has the name of another remote'] };
  const identityErrors = findIdentityErrors(value);
  if (identityErrors.length > 0) return { errors: identityErrors };
  // The casts are safe, because the values are checked.
  if (!satisfies(CONTRACT_VERSION, value['contract'] as string))
    return { entry: reduceUnfitEntry(value as NamedEntry), errors: [] };
  const errors = findEntryErrors(value);
  return errors.length > 0 ? { errors } : { entry: { ...(value as unknown as RegistryEntry), fits: true }, errors };
}

/**
 * Returns the newest valid deployment of a remote before the invalid one `hash`, except those that were rolled back.
 * Its files are still stored.
 * @throws {Error} if the file with the stored deployments cannot be read
 */
async function findInHistory(mfDir: string, name: string, hash: unknown): Promise<RegistryEntry | undefined> {
  if (!isRemoteName(name)) return undefined;
  const history: unknown = JSON.parse(await readFile(path.join(mfDir, name, 'history.json'), 'utf8'));
  if (!Array.isArray(history)) return undefined;
  const live = history.findIndex((described) => isObject(described) && described['hash'] === hash);
  return history
    .slice(0, live === -1 ? undefined : live)
    .filter((described) => !isObject(described) || described['isRolledBack'] !== true)
    .map((described) => parseEntry(name, described).entry)
    .filter(isDefined)
    .at(-1);
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

type NamedEntry = Readonly<Record<string, unknown>> & Pick<RegistryEntry, 'name' | 'hash' | 'contract'>;

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
