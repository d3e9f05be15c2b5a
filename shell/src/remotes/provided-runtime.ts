/** Provides the only copy of the runtime of Module Federation to the remotes. */
import { createInstance } from '@module-federation/runtime';
import federation from '@module-federation/webpack-bundler-runtime/bundler';
import { initContainerEntry } from '@module-federation/webpack-bundler-runtime/dist/initContainerEntry.js';

declare global {
  /** The runtime that the entries of remotes use instead of a second copy (shell/build/preset.mjs). */
  var alpenglowFederation: object | undefined;
}

// A container stores its options in these objects, so each container gets new ones. The shell is not a container, so
// the build removes the code for containers from the runtime of the shell, and `initContainerEntry` is added here.
// `init` is replaced, because it would return the instance of the shell to each container: it searches for the id of
// the build that contains the runtime.
Object.defineProperty(globalThis, 'alpenglowFederation', {
  get: () => ({
    ...federation,
    runtime: { ...federation.runtime, init: createInstance },
    bundlerRuntimeOptions: {},
    bundlerRuntime: { ...federation.bundlerRuntime, S: {}, initContainerEntry },
  }),
});
