import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { REMOTE_NAMES, type Registry, type RegistryEntry } from '@alpenglow/ui/contract';

const EMPTY: Registry = { remotes: {} };

/** The registry as it is now; read again only when a deploy has moved a new one into place. Empty while there is none, and without the remotes that make no sense in it. */
export function readRegistryOf(
  mfDir: string,
  log: { warn(fields: object, text: string): void },
): () => Promise<Registry> {
  const file = path.join(mfDir, 'registry.json');
  let known = { version: '', registry: EMPTY };
  return async () => {
    try {
      const { ino, mtimeMs } = await stat(file);
      const version = `${ino}:${mtimeMs}`;
      if (version !== known.version) known = { version, registry: parsed(JSON.parse(await readFile(file, 'utf8'))) };
    } catch (error) {
      log.warn({ err: error, file }, 'the registry of remotes cannot be read');
      return EMPTY;
    }
    return known.registry;
  };
}

/** Deployed by one team, read for all: what one of them got wrong costs the others nothing. */
function parsed(value: unknown): Registry {
  if (!isObject(value) || !isObject(value['remotes'])) throw new Error('This is no registry');
  const { remotes } = value;
  return {
    remotes: Object.fromEntries(
      REMOTE_NAMES.flatMap((name) => (isEntry(remotes[name], name) ? [[name, remotes[name]]] : [])),
    ),
  };
}

/** Whether pages can be made of it: what they write as it stands is in form. */
function isEntry(value: unknown, name: string): value is RegistryEntry {
  if (!isObject(value) || value['name'] !== name) return false;
  const { hash, preload, preloadTexts = {}, preloadData = {}, preloadPictures, integrity } = value;
  return (
    isText(hash, /^[0-9a-f]{16}$/u) &&
    areFiles(preload) &&
    holds(preloadTexts, areFiles) &&
    holds(preloadData, areTexts) &&
    holds(integrity, (one) => isText(one, /^sha384-[\w+/]{64}$/u)) &&
    (preloadPictures === undefined ||
      (isObject(preloadPictures) && areTexts(preloadPictures['pages']) && isText(preloadPictures['sizes'], /./u)))
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown, form: RegExp) => typeof value === 'string' && form.test(value);
const areTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
const areFiles = (value: unknown) => Array.isArray(value) && value.every((one) => isText(one, /^[\w.-]+$/u));
const holds = (value: unknown, fits: (one: unknown) => boolean) => isObject(value) && Object.values(value).every(fits);
