// @ts-check
import { createHash } from 'node:crypto';

/** Stands for the hash in the name until the files are known. */
const PLACEHOLDER = 'hashhash';

/**
 * Returns the digest of a script without the hashes in file names. They are still those of the sources, and a source
 * that changes nothing in the files must not change the digest.
 * @param {string} text
 */
const digestOf = (text) =>
  createHash('sha256')
    .update(text.replaceAll(/\b[0-9a-f]{10}\b/gu, ''))
    .digest('hex');

/** The lists of integrity values in an entry. The compiler writes them in the order in which its threads end. */
const INTEGRITY_VALUES = /(?<=\bsri(?:Css)?Hashes=\{)[^{}]+(?=\})/gu;

/** @param {string} values */
const sorted = (values) => values.split(',').sort().join();

/**
 * Returns the name that stands for the unique name of a build until its files are known.
 * @param {string} container
 */
export const provisionalName = (container) => `${container}_${PLACEHOLDER}`;

/**
 * Replaces the provisional name, with which a build names the list of its loaded chunks. Two deployments can be on one
 * page, so the name contains a hash of the files. It contains no hash of the sources, because a source that
 * changes nothing in the files must not cause another deployment.
 */
export class UniqueNamePlugin {
  /** @param {string} container */
  constructor(container) {
    this.placeholder = provisionalName(container);
  }

  /** @param {import('@rspack/core').Compiler} compiler */
  apply(compiler) {
    const { Compilation, sources } = compiler.webpack;
    compiler.hooks.thisCompilation.tap('UniqueNamePlugin', (compilation) => {
      // The files are minified, and have neither source maps nor integrity values.
      const stage = Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING - 1;
      compilation.hooks.processAssets.tap({ name: 'UniqueNamePlugin', stage }, (assets) => {
        const scripts = Object.keys(assets).filter((file) => file.endsWith('.js'));
        const digests = scripts
          .map((file) => digestOf(String(assets[file]?.source()).replace(INTEGRITY_VALUES, sorted)))
          .sort();
        const hash = digestOf(digests.join());
        const name = this.placeholder.replace(PLACEHOLDER, hash.slice(0, PLACEHOLDER.length));
        for (const file of scripts) {
          const text = String(assets[file]?.source());
          if (!text.includes(this.placeholder)) continue;
          compilation.updateAsset(file, (source) => {
            const replaced = new sources.ReplaceSource(source);
            for (const { 0: values, index } of text.matchAll(INTEGRITY_VALUES))
              replaced.replace(index, index + values.length - 1, sorted(values));
            for (let at = text.indexOf(this.placeholder); at >= 0; at = text.indexOf(this.placeholder, at + 1))
              replaced.replace(at, at + this.placeholder.length - 1, name);
            return replaced;
          });
        }
      });
    });
  }
}
