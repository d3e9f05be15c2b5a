/** Loads remotes, which are containers of Module Federation. No other file of the shell knows their format. */
import { CHUNK_LOAD_TIMEOUT_ms } from '@alpenglow/domain/contracts';
import { createTrustedText, type RegistryEntry, type RemoteName, type RemoteProps } from '@alpenglow/ui';
import type { ComponentType } from 'react';
import { deploymentPath, findRemoteFileIntegrity, addIntegrityValues } from './integrity.ts';
import { REMOTE_ENTRY } from './registry.ts';

/** The container of a remote. The entry file of the remote creates it as a global variable. */
interface Container {
  /** Provides the shared modules of the shell, for example React. */
  init(sharedModules: object): void | Promise<void>;
  get(module: './App'): Promise<() => { readonly default?: ComponentType<RemoteProps> }>;
}

declare const __webpack_init_sharing__: (scope: 'default') => Promise<void>;
declare const __webpack_share_scopes__: { readonly default: object };

const containerName = (name: RemoteName) => name.replaceAll('-', '_');

const requested = new Set<RemoteName>();

/** The content security policy forbids other scripts of remotes. */
const toRemoteUrl = createTrustedText('alpenglow-remotes', 'createScriptURL', (url) => {
  if (!url.startsWith(`${location.origin}/mf/`)) throw new Error('A remote is loaded only from this site');
  return url;
});

/**
 * Loads the component `./App` of a remote's deployment. Never uses loaded files of the remote's earlier deployments.
 * @throws {Error} if a file cannot be loaded or does not match its integrity value in the registry
 */
export async function loadApp(entry: RegistryEntry): Promise<ComponentType<RemoteProps>> {
  // Only later loads remove style sheets. Those of the first load are already in use by the first HTML.
  if (requested.has(entry.name)) unload(entry.name);
  requested.add(entry.name);
  addIntegrityValues(entry);
  await loadScript(new URL(deploymentPath(entry) + REMOTE_ENTRY, location.origin).href);
  const container: unknown = Reflect.get(globalThis, containerName(entry.name));
  if (!isContainer(container)) throw new Error(`${entry.name} has no container`);
  await __webpack_init_sharing__('default');
  await container.init(__webpack_share_scopes__.default);
  const createModule = await container.get('./App');
  const { default: App } = createModule();
  if (typeof App !== 'function') throw new Error(`${entry.name} has no App`);
  return App;
}

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && 'init' in value && 'get' in value;

/** Executes a script. Rejects if the browser cannot load it or rejects its integrity value, or after a timeout. */
async function loadScript(url: string): Promise<void> {
  const script = document.createElement('script');
  script.src = toRemoteUrl(url);
  script.async = true;
  script.crossOrigin = 'anonymous';
  script.integrity = findRemoteFileIntegrity(url);
  let limit: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`${url} could not be loaded`));
      script.onload = resolve;
      script.onerror = fail;
      limit = setTimeout(fail, CHUNK_LOAD_TIMEOUT_ms);
      document.head.append(script);
    });
  } finally {
    clearTimeout(limit);
    script.remove();
  }
}

/**
 * Removes the container, the loaded chunks and the style sheets of a remote's earlier deployment. All deployments use
 * the same names, so the page would otherwise use the old files again.
 */
function unload(name: RemoteName): void {
  // The variable of a script cannot be deleted.
  Reflect.set(globalThis, containerName(name), undefined);
  Reflect.deleteProperty(globalThis, `${containerName(name)}_chunks`);
  for (const link of document.querySelectorAll(`link[rel="stylesheet"][href*="/mf/${name}/"]`)) link.remove();
}
