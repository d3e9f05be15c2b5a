/** Loads remotes with the Module Federation runtime. No other file of the shell uses this runtime. */
import { loadRemote, registerPlugins, registerRemotes } from '@module-federation/enhanced/runtime';
import { CHUNK_LOAD_TIMEOUT_ms } from '@alpenglow/domain/contracts';
import { createTrustedText, type RegistryEntry, type RemoteName, type RemoteProps } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import { deploymentPath, findRemoteFileIntegrity, addIntegrityValues } from './integrity.ts';
import { REMOTE_ENTRY } from './registry.ts';

const containerName = (name: RemoteName) => name.replaceAll('-', '_');

/** The content security policy forbids other scripts of remotes. */
const toRemoteUrl = createTrustedText('alpenglow-remotes', 'createScriptURL', (url) => {
  if (!url.startsWith(`${location.origin}/mf/`)) throw new Error('A remote is loaded only from this site');
  return url;
});

const registered = new Set<RemoteName>();

registerPlugins([
  {
    name: 'registry-integrity',
    createScript({ url }) {
      const script = document.createElement('script');
      script.src = toRemoteUrl(url);
      script.async = true;
      script.crossOrigin = 'anonymous';
      script.integrity = findRemoteFileIntegrity(url);
      return { script, timeout: CHUNK_LOAD_TIMEOUT_ms };
    },
  },
]);

/**
 * Loads the component `./App` of a remote's deployment. Never uses loaded files of the remote's earlier deployments.
 * @throws {Error} if a file cannot be loaded or does not match its integrity value in the registry
 */
export async function loadApp(entry: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  const name = containerName(entry.name);
  if (registered.has(entry.name)) unload(entry.name);
  addIntegrityValues(entry);
  registerRemotes([{ name, entry: new URL(deploymentPath(entry) + REMOTE_ENTRY, location.origin).href }], {
    force: registered.has(entry.name),
  });
  registered.add(entry.name);
  const module = await loadRemote<{ default: ComponentType<RemoteProps> }>(`${name}/App`);
  if (typeof module?.default !== 'function') throw new Error(`${entry.name} has no App`);
  return module.default;
}

/**
 * Removes the loaded chunks and style sheets of a remote's earlier deployment. All deployments use the same file names,
 * so the runtime would use the old files again.
 */
function unload(name: RemoteName): void {
  Reflect.deleteProperty(globalThis, `${containerName(name)}_chunks`);
  for (const link of document.querySelectorAll(`link[rel="stylesheet"][href*="/mf/${name}/"]`)) link.remove();
}
