/** Loads a remote's container for the server with the runtime of Module Federation. */
import vm from 'node:vm';
import type { RemoteName, RemoteProps, RemoteRoute } from '@alpenglow/ui';
import { getInstance } from '@module-federation/runtime';
import type { RemoteEntryExports } from '@module-federation/runtime/types';
import type { ComponentType } from 'react';
import '../../src/remotes/provided-runtime.ts';

/** The remote that a process renders. */
export interface RenderedRemote {
  readonly name: RemoteName;
  readonly hash: string;
  /** The name of the container of Module Federation. */
  readonly container: string;
  /** The pages that the remote declares, because the shell has no routes for them. */
  readonly routes: readonly RemoteRoute[];
  /** The JavaScript of the remote's container for the server. Its digest was checked. */
  readonly code: string;
}

/** The instance of the shell, which provides the shared modules (shell/rspack.config.mjs). */
const instance = getInstance();

/**
 * Loads the component `./App` of a remote. The runtime gets the container from `code`, so it loads no files.
 * @throws {Error} if the code throws or has no such component
 */
export async function loadApp({ name, hash, container, code }: RenderedRemote): Promise<ComponentType<RemoteProps>> {
  if (!instance) throw new Error('Module Federation has not started');
  const filename = `${name}.${hash}.cjs`;
  instance.registerPlugins([{ name: 'checked-code', loadEntry: () => Promise.resolve(run(code, filename)) }]);
  instance.registerRemotes([{ name: container, entry: filename }]);
  const module = await instance.loadRemote<{ readonly default?: ComponentType<RemoteProps> }>(`${container}/App`);
  if (typeof module?.default !== 'function') throw new Error(`${name} has no App`);
  return module.default;
}

/** Runs the code of a CommonJS module without `require`, and returns what it exports. */
function run(code: string, filename: string) {
  const module = { exports: {} };
  // The cast is safe, because the function has exactly these parameters.
  const evaluate = vm.compileFunction(code, ['module', 'exports'], { filename }) as (
    module: object,
    exports: object,
  ) => void;
  evaluate(module, module.exports);
  // The cast is safe, because the runtime checks that the container has its functions.
  return module.exports as RemoteEntryExports;
}
