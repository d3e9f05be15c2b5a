import { readFileSync } from 'node:fs';
import { experiments } from '@rspack/core';

/**
 * Loads a TypeScript file that imports nothing at run time (constants, the contract), so that the build reads
 * the same numbers as the code does. Node 20 cannot import TypeScript itself.
 * @param {string} file
 * @returns {Promise<Record<string, any>>}
 */
export async function loadTypeScriptModule(file) {
  const { code } = experiments.swc.transformSync(readFileSync(file, 'utf8'), {
    filename: file,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
}
