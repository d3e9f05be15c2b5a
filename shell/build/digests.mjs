// @ts-check
/** The digests of the files of a build, in the format of the attribute `integrity` of HTML. */
import { createHash } from 'node:crypto';

/** The path of the server bundle in the folder of a build. */
export const SERVER_BUNDLE_PATH = 'server/server.cjs';

/**
 * Returns the SHA-256 of a file.
 * @param {Uint8Array | string} content
 */
export const digestOf = (content) => `sha256-${createHash('sha256').update(content).digest('base64')}`;

/**
 * Returns the digest of each file of a build by its path, also of the server bundle. Source maps have none.
 * @param {Pick<import('../../ui/src/host/contract.ts').RegistryEntry, 'integrity' | 'assets' | 'server'>} build
 * @returns {Map<string, string>}
 */
export const digestsOf = ({ integrity, assets = {}, server }) =>
  new Map(Object.entries({ ...integrity, ...assets, ...(server && { [SERVER_BUNDLE_PATH]: server.integrity }) }));
