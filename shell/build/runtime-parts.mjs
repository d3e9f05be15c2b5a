// @ts-check
/**
 * Replaces code of Module Federation in the builds for visitors:
 *
 * - Snapshots. The option `disableSnapshot` of the plugin only switches this code off, so 7 KB (minified) would stay.
 *   This product needs no snapshots, because its registry names the deployments.
 * - Ranges of versions of shared modules. The shell provides the only version of each, and remotes accept all versions.
 * - Preloads of remotes. The first HTML names the files that are preloaded.
 * - Descriptions of errors. An error contains its number and the address of its documentation. Only the shell for
 *   development has the descriptions.
 */
import { PluginSystem } from '../../node_modules/@module-federation/runtime-core/dist/utils/hooks/pluginSystem.js';

/** Has the members that the runtime uses when it registers or removes a remote. */
export class SnapshotHandler {
  hooks = new PluginSystem({});
  manifestCache = new Map();
}

/** @returns {{ hostGlobalSnapshot?: undefined }} */
export const getGlobalRemoteInfo = () => ({});

/** Compares two versions of a shared module. Each module has only one version. */
export const satisfy = () => true;

const cannotPreload = () => {
  throw new Error('The runtime of the shell cannot preload remotes');
};
export {
  cannotPreload as defaultPreloadArgs,
  cannotPreload as formatPreloadArgs,
  cannotPreload as normalizePreloadExposes,
  cannotPreload as preloadAssets,
};

/** @type {Readonly<Record<string, string>>} */
const descriptions = new Proxy({}, { get: () => 'Module Federation has failed.' });
export {
  descriptions as buildDescMap,
  descriptions as errorDescMap,
  descriptions as runtimeDescMap,
  descriptions as typeDescMap,
};

/** The helpers, which the runtime uses only for snapshots. */
export default {};
