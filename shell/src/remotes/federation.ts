/** The only file that speaks to the Module Federation runtime. */
import { loadRemote, registerPlugins, registerRemotes } from '@module-federation/enhanced/runtime';
import { CHUNK_LOAD_TIMEOUT_ms } from '@alpenglow/domain/contracts';
import type { RegistryEntry, RemoteName, RemoteProps } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import { deploymentPath, integrityOf, listDeployment } from './integrity.ts';
import { REMOTE_ENTRY } from './registry.ts';

/** As the build names it (shell/build/packages.mjs). */
const containerName = (name: RemoteName) => name.replaceAll('-', '_');

const registered = new Set<RemoteName>();

registerPlugins([
  {
    name: 'registry-integrity',
    createScript({ url }) {
      const script = document.createElement('script');
      script.src = url;
      script.async = true;
      script.crossOrigin = 'anonymous';
      script.integrity = integrityOf(url);
      return { script, timeout: CHUNK_LOAD_TIMEOUT_ms };
    },
  },
]);

/**
 * Loads `./App` of a deployment, as if nothing of that remote had ever been loaded.
 * @throws {Error} when a file cannot be loaded or is not what the registry says
 */
export async function loadApp(entry: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  const name = containerName(entry.name);
  if (registered.has(entry.name)) forget(entry.name);
  listDeployment(entry);
  registerRemotes([{ name, entry: new URL(deploymentPath(entry) + REMOTE_ENTRY, location.origin).href }], {
    force: registered.has(entry.name),
  });
  registered.add(entry.name);
  const module = await loadRemote<{ default: ComponentType<RemoteProps> }>(`${name}/App`);
  if (typeof module?.default !== 'function') throw new Error(`${entry.name} has no App`);
  return module.default;
}

/**
 * Chunks and style sheets are found again by names that every deployment of a remote shares. What an earlier one left on the page
 * must go, or the next one takes it for its own.
 */
function forget(name: RemoteName): void {
  Reflect.deleteProperty(globalThis, `${containerName(name)}_chunks`);
  for (const link of document.querySelectorAll(`link[rel="stylesheet"][href*="/mf/${name}/"]`)) link.remove();
}
