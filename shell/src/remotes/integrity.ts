import type { RegistryEntry } from '@alpenglow/ui';

/** Valid in form and matching nothing: the browser refuses the file. (An invalid value would be ignored, and the file run.) */
export const REFUSED = `sha384-${'A'.repeat(64)}`;

/** Path on this origin → its integrity. Deployments stay once listed: a page may still be loading from an earlier one. */
const listed = new Map<string, string>();

/** Folder of a deployment, with a slash at the end. */
export const deploymentPath = (entry: Pick<RegistryEntry, 'name' | 'hash'>) => `/mf/${entry.name}/${entry.hash}/`;

/** Allows the files of a deployment to load, each only as the registry describes it. */
export function listDeployment(entry: RegistryEntry): void {
  for (const [file, integrity] of Object.entries(entry.integrity)) listed.set(deploymentPath(entry) + file, integrity);
}

/** What `integrity` a script or style sheet of a remote must carry; a file the registry does not list gets one it cannot meet. */
export function integrityOf(url: string): string {
  const { origin, pathname } = new URL(url, location.href);
  return (origin === location.origin && listed.get(pathname)) || REFUSED;
}

declare global {
  /** Asked by the chunk loading of every remote (shell/build/registry-integrity-plugin.mjs). */
  var alpenglowIntegrity: ((url: string) => string) | undefined;
}
globalThis.alpenglowIntegrity = integrityOf;
