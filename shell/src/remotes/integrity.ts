import type { RegistryEntry } from '@alpenglow/ui';

/**
 * An integrity value that matches no file, so that the browser rejects every file. It is well-formed, because browsers
 * ignore a malformed value and execute the file.
 */
const INVALID_INTEGRITY = `sha384-${'A'.repeat(64)}`;

/**
 * Integrity values by file path. The values of earlier deployments remain, because the page may still load their files.
 */
const listed = new Map<string, string>();

/** Returns the path of a deployment's folder, with a trailing slash. */
export const deploymentPath = (entry: Pick<RegistryEntry, 'name' | 'hash'>) => `/mf/${entry.name}/${entry.hash}/`;

/** Adds the integrity values of a deployment, so that the browser accepts its files. */
export function addIntegrityValues(entry: RegistryEntry): void {
  for (const [file, integrity] of Object.entries(entry.integrity)) listed.set(deploymentPath(entry) + file, integrity);
}

/**
 * Returns the `integrity` value for a script or style sheet of a remote. If the registry does not contain the file, it
 * returns a value that makes the browser reject the file.
 */
export function findRemoteFileIntegrity(url: string): string {
  const { origin, pathname } = new URL(url, location.href);
  return (origin === location.origin && listed.get(pathname)) || INVALID_INTEGRITY;
}

declare global {
  /** Called by the chunk loader of every remote (shell/build/registry-integrity-plugin.mjs). */
  var alpenglowIntegrity: ((url: string) => string) | undefined;
}
globalThis.alpenglowIntegrity = findRemoteFileIntegrity;
