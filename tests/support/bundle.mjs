// @ts-check
import path from 'node:path';
import { bundle } from '../../launcher/engines/bundle.mjs';

/**
 * Bundles a TypeScript entry into one file, so that tests and benchmarks can run it in a separate process.
 * @param {string} entry  path relative to this folder
 */
export function bundleForNode(entry) {
  return bundle(path.resolve(import.meta.dirname, entry));
}
