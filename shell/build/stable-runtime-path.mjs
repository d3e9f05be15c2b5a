// @ts-check

/**
 * Replaces the path of a package by its name in the module that the plugin of Module Federation generates. The bundler
 * derives the ids of modules from such paths. With the path, the same sources in another folder would be another
 * deployment.
 */
export class StableRuntimePathPlugin {
  /**
   * @param {string} file   the absolute path that the plugin of Module Federation imports
   * @param {string} name   the name of the package
   */
  constructor(file, name) {
    this.file = encodeURIComponent(file);
    this.name = encodeURIComponent(name);
  }

  /** @param {import('@rspack/core').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.normalModuleFactory.tap('StableRuntimePathPlugin', (factory) => {
      factory.hooks.beforeResolve.tap('StableRuntimePathPlugin', (data) => {
        if (data.request.includes('data:text/javascript')) data.request = data.request.replaceAll(this.file, this.name);
      });
    });
  }
}
