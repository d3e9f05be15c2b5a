// @ts-check
/**
 * The module `@alpenglow/remote/rspack`, for the `rspack.config.mjs` of a remote in another repository. It has the same
 * settings as those of the remotes in this repository. `options.json` contains the values of the shell
 * (../pack-remote-package.mjs).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { writeArtifact } from '../artifact.mjs';
import { describeRemote } from '../describe-remote.mjs';

const options = JSON.parse(readFileSync(path.join(import.meta.dirname, 'options.json'), 'utf8'));

/**
 * The oldest supported browsers, as queries for browserslist.
 * @type {readonly string[]}
 */
export const BROWSERS = options.browsers;

/** The options of `ModuleFederationPlugin`, without `name` and `exposes`. */
export const container = options.container;

/** The loader that puts a CSS module into the cascade layer of the remote, with the option `layer`. */
export const layerLoader = path.join(import.meta.dirname, 'layer-loader.mjs');

/**
 * Returns the options of Rspack with which the remote uses the runtime of Module Federation that the shell provides.
 * @param {string} dir  the folder of the remote
 */
export function sharedRuntime(dir) {
  const requireHere = createRequire(path.join(dir, 'package.json'));
  const requireOfPlugin = createRequire(requireHere.resolve('@module-federation/enhanced'));
  const file = requireOfPlugin.resolve(options.runtimePackage);
  return {
    externals: { [file]: options.runtimeVariable, [options.runtimePackage]: options.runtimeVariable },
    externalsType: /** @type {const} */ ('global'),
  };
}

/**
 * Returns the option `output` of Rspack.
 * @param {string} dir  the folder of the remote
 * @param {string} containerName
 */
export const output = (dir, containerName) => ({
  path: path.join(dir, 'dist'),
  clean: true,
  publicPath: 'auto',
  uniqueName: containerName,
  filename: '[name].[contenthash:10].js',
  chunkFilename: '[name].[contenthash:10].js',
  cssFilename: '[name].[contenthash:10].css',
  cssChunkFilename: '[name].[contenthash:10].css',
  assetModuleFilename: '[name].[contenthash:10][ext]',
  chunkLoadTimeout: options.chunkLoadTimeout_ms,
  strictModuleErrorHandling: true,
  crossOriginLoading: /** @type {const} */ ('anonymous'),
  trustedTypes: { policyName: 'alpenglow-bundler' },
});

/**
 * Writes `build.json` with the description of a build, which its deployment needs. Compares the contract of the remote
 * with the version of this package.
 */
export class DescribeRemotePlugin {
  /** @param {import('@rspack/core').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.done.tapPromise('DescribeRemotePlugin', async (stats) => {
      if (stats.hasErrors()) return;
      const dir = compiler.outputPath;
      const packageDir = compiler.context;
      const { name } = JSON.parse(readFileSync(path.join(packageDir, 'package.json'), 'utf8'));
      const { contracts } = options;
      const groups = stats.toJson({ all: false, entrypoints: true, chunkGroups: true });
      const described = await describeRemote({ name, dir, packageDir, rootDir: packageDir, groups, contracts });
      await writeArtifact(dir, described);
    });
  }
}
