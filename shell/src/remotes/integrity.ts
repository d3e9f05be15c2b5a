import type { RegistryEntry } from '@alpenglow/ui';

/**
 * An integrity value that matches no file, so that the browser rejects every file. It is well-formed, because browsers
 * ignore a malformed value and execute the file.
 */
const INVALID_INTEGRITY = `sha256-${'A'.repeat(43)}=`;

/**
 * Integrity values by file path. The values of earlier deployments remain, because the page may still load their files.
 */
const listed = new Map<string, string>();
const entries = new Set<string>();

/** Returns the path of a deployment's folder, with a trailing slash. */
export const deploymentPath = (entry: Pick<RegistryEntry, 'name' | 'hash'>) => `/mf/${entry.name}/${entry.hash}/`;

/** Adds the integrity values of a deployment, so that the browser accepts its files. */
export function addIntegrityValues(entry: RegistryEntry): void {
  entries.add(deploymentPath(entry) + entry.entry);
  for (const [file, integrity] of Object.entries(entry.integrity)) listed.set(deploymentPath(entry) + file, integrity);
}

/** Returns true if a path is that of the entry of a remote. */
export const isRemoteEntry = (pathname: string): boolean => entries.has(pathname);

/**
 * Returns the `integrity` value for a script or style sheet of a remote. If the registry does not contain the file, it
 * returns a value that makes the browser reject the file.
 */
export function findRemoteFileIntegrity(url: string): string {
  const { origin, pathname } = new URL(url, location.href);
  return (origin === location.origin && listed.get(pathname)) || INVALID_INTEGRITY;
}

globalThis.alpenglowIntegrity = findRemoteFileIntegrity;
