import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FRONT_END_NAME, type FrontEnd } from '@alpenglow/domain';

/** The time after which the registry is read again. */
const MAX_AGE_ms = 10_000;

/** The live builds and the canary of each deployed remote, as hashes. */
export type DeployedBuilds = ReadonlyMap<FrontEnd, ReadonlySet<string>>;

interface Build {
  readonly hash?: string;
}

/** Our deployment script writes this file. Earlier releases stored one build instead of a list. */
interface Registry {
  readonly remotes: Readonly<Record<string, Build | readonly Build[]>>;
  readonly canaries?: Readonly<Record<string, { readonly build: Build }>>;
}

function buildsIn({ remotes, canaries = {} }: Registry): DeployedBuilds {
  const names = Object.keys(remotes).filter((name) => FRONT_END_NAME.test(name));
  return new Map(
    names.map((name) => {
      const builds = [remotes[name] ?? [], canaries[name]?.build ?? []].flat();
      return [name, new Set(builds.flatMap(({ hash }) => hash ?? []))];
    }),
  );
}

/**
 * Creates a function that returns the builds in `registry.json` of the folder `mfDir`. Returns null while they are
 * unknown, for example because this process has no access to the folder. A build that was just deployed is missing for
 * up to 10 s.
 */
export function createDeployedBuilds(mfDir: string): () => DeployedBuilds | null {
  let builds: DeployedBuilds | null = null;
  let readAt_ms = -Infinity;
  const read = async () => {
    // The cast is safe, because our deployment script wrote the JSON.
    builds = buildsIn(JSON.parse(await readFile(path.join(mfDir, 'registry.json'), 'utf8')) as Registry);
  };
  return () => {
    if (performance.now() - readAt_ms > MAX_AGE_ms) {
      readAt_ms = performance.now();
      read().catch(() => (builds = null));
    }
    return builds;
  };
}
