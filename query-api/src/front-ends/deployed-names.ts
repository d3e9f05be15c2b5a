import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FRONT_END_NAME, type FrontEnd } from '@alpenglow/domain';

/** The time after which the registry is read again. */
const MAX_AGE_ms = 10_000;

/**
 * Creates a function that returns the names of the remotes in `registry.json` of the folder `mfDir`. Returns null while
 * the names are unknown, for example because this process has no access to the folder. A remote that was just deployed
 * is missing for up to 10 s.
 */
export function createDeployedNames(mfDir: string): () => ReadonlySet<FrontEnd> | null {
  let names: ReadonlySet<FrontEnd> | null = null;
  let readAt_ms = -Infinity;
  const read = async () => {
    const { remotes } = JSON.parse(await readFile(path.join(mfDir, 'registry.json'), 'utf8')) as { remotes: object };
    names = new Set(Object.keys(remotes).filter((name) => FRONT_END_NAME.test(name)));
  };
  return () => {
    if (performance.now() - readAt_ms > MAX_AGE_ms) {
      readAt_ms = performance.now();
      read().catch(() => (names = null));
    }
    return names;
  };
}
