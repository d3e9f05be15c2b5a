// @ts-check
import { hashFiles } from './hash-files.mjs';
import { BROWSERS, ROOT, SHELL } from './packages.mjs';

/**
 * Returns a hash of all inputs of a browser package. If the hash has not changed, the build skips the package.
 * @param {string} name
 */
export const computeInputHash = (name) =>
  hashFiles(
    ROOT,
    [
      `${name}/src`,
      `${name}/public`,
      `${name}/package.json`,
      `${name}/rspack.config.mjs`,
      'ui/src',
      'domain/src',
      'shell/build',
      ...(name === SHELL ? ['shell/server/rendering', 'shell/server/html.ts'] : []),
      'package-lock.json',
    ],
    BROWSERS,
  );
