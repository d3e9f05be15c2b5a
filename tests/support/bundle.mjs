// @ts-check
import path from 'node:path';
import { bundle } from '../../infra/engines/bundle.mjs';

/**
 * Builds a TypeScript entry, named as seen from this folder, into one file that plain Node can run: for tests and benchmarks that need
 * processes of their own.
 * @param {string} entry
 */
export function bundleForNode(entry) {
  return bundle(path.resolve(import.meta.dirname, entry));
}
