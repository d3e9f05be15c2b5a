import { rspack } from '@rspack/core';

const NAME = 'RegistryIntegrityPlugin';

/**
 * Makes a remote's own chunk loading ask the shell for the `integrity` of every script and style sheet it adds
 * (see shell/src/remotes/integrity.ts). The federation runtime only sees the entry; without this the chunks behind it
 * would load unchecked.
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
