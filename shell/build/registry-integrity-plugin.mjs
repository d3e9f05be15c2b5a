// @ts-check
import { rspack } from '@rspack/core';

const NAME = 'RegistryIntegrityPlugin';

/**
 * Changes the chunk loader of a remote, so that it sets the `integrity` attribute of every script and style sheet. The
 * values are from the registry (see shell/src/remotes/integrity.ts). The plugin is required, because the shell
 * loads only the entry file.
 */
export class RegistryIntegrityPlugin {
  /** @param {import('@rspack/core').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.compilation.tap(NAME, (compilation) => {
      const hooks = rspack.RuntimePlugin.getCompilationHooks(compilation);
      hooks.createScript.tap(
        NAME,
        (code) =>
          `${code}\nscript.crossOrigin = "anonymous"; script.integrity = globalThis.alpenglowIntegrity(script.src);`,
      );
      hooks.createLink.tap(
        NAME,
        (code) => `${code}\nlink.crossOrigin = "anonymous"; link.integrity = globalThis.alpenglowIntegrity(link.href);`,
      );
    });
  }
}
