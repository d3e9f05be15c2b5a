/** Loads remotes with the runtime of Module Federation. */
import type { RegistryEntry, RemoteProps } from '@alpenglow/ui';
import { getInstance } from '@module-federation/runtime';
import type { ComponentType } from 'react';
import { addIntegrityValues, deploymentPath } from './integrity.ts';
import { errorReportsPlugin } from './plugins/error-reports.ts';
import { integrityPlugin } from './plugins/integrity.ts';
import './provided-runtime.ts';

/**
 * The instance of the shell, which provides the shared modules (shell/rspack.config.mjs). It is read at the start,
 * because the instance of each loaded remote replaces it in `getInstance`.
 */
const instance = getInstance();
instance?.registerPlugins([integrityPlugin, errorReportsPlugin]);

/** The registered deployment of each remote. */
const registered = new Map<string, string>();

/**
 * Loads the component `./App` of a remote's deployment. Never uses loaded files of the remote's earlier deployments.
 * @throws {Error} if a file cannot be loaded, does not match its integrity value in the registry, or throws
 */
export async function loadApp(entry: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  if (!instance) throw new Error('Module Federation has not started');
  const { container, hash } = entry;
  addIntegrityValues(entry);
  if (registered.get(container) !== hash) {
    const url = new URL(deploymentPath(entry) + entry.entry, location.origin).href;
    instance.registerRemotes([{ name: container, entry: url }], { force: registered.has(container) });
    registered.set(container, hash);
  }
  const module = await instance.loadRemote<{ readonly default?: ComponentType<RemoteProps> }>(`${container}/App`);
  if (typeof module?.default !== 'function') throw new Error(`${entry.name} has no App`);
  return module.default;
}
