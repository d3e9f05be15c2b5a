import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Registry } from '@alpenglow/ui/contract';

const EMPTY: Registry = { remotes: {} };

/** The registry as it is now; read again only when a deploy has moved a new one into place. Empty while there is none. */
export function readRegistryOf(mfDir: string, log: { warn(fields: object, text: string): void }): () => Promise<Registry> {
  const file = path.join(mfDir, 'registry.json');
  let known = { version: '', registry: EMPTY };
  return async () => {
    try {
      const { ino, mtimeMs } = await stat(file);
      const version = `${ino}:${mtimeMs}`;
      // This project's own deploy wrote it, whole or not at all.
      if (version !== known.version) known = { version, registry: JSON.parse(await readFile(file, 'utf8')) as Registry };
    } catch (error) {
      log.warn({ err: error, file }, 'the registry of remotes cannot be read');
      return EMPTY;
    }
    return known.registry;
  };
}
