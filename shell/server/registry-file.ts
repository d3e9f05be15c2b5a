import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { REMOTE_NAMES, type Registry, type RegistryEntry } from '@alpenglow/ui/contract';

const EMPTY: Registry = { remotes: {} };

/**
 * Creates a function that returns the current registry of remotes. The function reads the registry file again only
 * after a deployment has replaced the file. If the file cannot be read, the registry is empty. Remotes with an invalid
 * entry are omitted.
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
        const registry = parsed(JSON.parse(await readFile(file, 'utf8')));
        // Concurrent requests return the same object, because a new object empties the caches of pages.
        if (version !== cached.version) cached = { version, registry };
      }
    } catch (error) {
      log.warn({ err: error, file }, 'the registry of remotes cannot be read');
      return EMPTY;
    }
    return cached.registry;
  };
}

/** Validates a registry. Omits invalid entries, so that the mistake of one team affects only its own remote. */
function parsed(value: unknown): Registry {
  if (!isObject(value) || !isObject(value['remotes'])) throw new Error('The file is not a registry');
  const { remotes } = value;
  return {
    remotes: Object.fromEntries(
      REMOTE_NAMES.flatMap((name) => (isEntry(remotes[name], name) ? [[name, remotes[name]]] : [])),
    ),
  };
}

/**
 * Checks that `value` is a valid entry of the remote `name`. The check must be strict, because pages contain the
 * strings of the entry without escaping.
 */
function isEntry(value: unknown, name: string): value is RegistryEntry {
  if (!isObject(value) || value['name'] !== name) return false;
  const { hash, preload, preloadTexts = {}, preloadData = {}, preloadPictures, integrity, server, chunks = {} } = value;
  return (
    isText(hash, /^[0-9a-f]{16}$/u) &&
    areFiles(preload) &&
    hasOnly(preloadTexts, areFiles) &&
    hasOnly(preloadData, areTexts) &&
    hasOnly(integrity, isIntegrity) &&
    hasOnly(chunks, areFiles) &&
    (server === undefined || (isObject(server) && isIntegrity(server['integrity']))) &&
    (preloadPictures === undefined ||
      (isObject(preloadPictures) && areTexts(preloadPictures['pages']) && isText(preloadPictures['sizes'], /./u)))
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value);
const isIntegrity = (value: unknown) => isText(value, /^sha384-[\w+/]{64}$/u);
const areTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
const areFiles = (value: unknown) => Array.isArray(value) && value.every((item) => isText(item, /^[\w.-]+$/u));
const hasOnly = (value: unknown, isValid: (item: unknown) => boolean) =>
  isObject(value) && Object.values(value).every(isValid);
