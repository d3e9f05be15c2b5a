/**
 * Replaces `src/remotes/remotes.ts` in the shell in which a remote is developed. That remote comes from the development
 * server, and the other remotes come from the running product. All are loaded by their manifests, because the browser
 * extension of Module Federation does not show a remote that is loaded by its entry.
 */
import type { Registry, RegistryEntry, RemoteProps } from '@alpenglow/ui';
import { getInstance } from '@module-federation/runtime';
import type { ComponentType } from 'react';
import { fetchRegistry } from '../../src/remotes/registry.ts';
import { findLateFile, hasThrown, isWithoutResponse } from '../../src/remotes/load-failures.ts';
import { RemoteLoader } from '../../src/remotes/remote-loader.ts';
import { loadApp as loadDeployedApp } from '../../src/remotes/runtime.ts';
import { reportError } from '../../src/reports/send-report.ts';

// The files of the remote change with each edit, so they have no integrity values.
globalThis.alpenglowIntegrity = undefined;

const MANIFEST = 'mf-manifest.json';

const instance = getInstance();
const { remote: name = '', container = '' } = document.documentElement.dataset;
const developed: RegistryEntry = {
  ...{ name, container, hash: 'under-development', contract: '*', fits: true, entry: 'remote-entry.js' },
  ...{ preload: [], integrity: {}, sizeBytes: 0, deployedAt: '' },
};

async function fetchRegistryWithDeveloped(): Promise<Registry> {
  const { remotes: deployed } = await fetchRegistry();
  return { remotes: { ...deployed, [name]: developed } };
}

async function loadApp(entry: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  if (entry !== developed) return loadDeployedApp({ ...entry, entry: MANIFEST });
  instance?.registerRemotes([
    { name: container, entry: `${location.origin}/mf/under-development/current/${MANIFEST}` },
  ]);
  const module = await instance?.loadRemote<{ readonly default: ComponentType<RemoteProps> }>(`${container}/App`);
  if (typeof module?.default !== 'function') throw new Error(`${name} has no App`);
  return module.default;
}

/** The remotes of the page. */
export const remotes = new RemoteLoader({
  fetchRegistry: fetchRegistryWithDeveloped,
  loadApp,
  hasThrown,
  findLateFile,
  isWithoutResponse,
  report: reportError,
  // The views of a remote under development are not counted.
  reportView: () => undefined,
});
