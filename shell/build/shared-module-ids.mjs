// @ts-check

/**
 * Numbers the modules that stand for shared modules (shared-modules.mjs) in the order of their names. The bundler would
 * derive their ids from the absolute paths of the packages. The same sources in another folder would then be another
 * deployment.
 */
export class SharedModuleIdsPlugin {
  /** @param {import('@rspack/core').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.compilation.tap('SharedModuleIdsPlugin', (compilation) => {
      compilation.hooks.beforeModuleIds.tap('SharedModuleIdsPlugin', (modules) => {
        const nameOf = (/** @type {import('@rspack/core').Module} */ module) =>
          module.libIdent({ context: compiler.context }) ?? '';
        [...modules]
          .filter(({ type }) => type === 'consume-shared-module')
          .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
          .forEach((module, index) => Object.assign(module, { id: index + 1 }));
      });
    });
  }
}
