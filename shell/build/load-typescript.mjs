// @ts-check
import { readFileSync } from 'node:fs';
import { experiments } from '@rspack/core';

/**
 * Imports a TypeScript file that has no runtime imports, such as constants or the contract. The build scripts therefore
 * use the same values as the application. Node 20 cannot import TypeScript directly.
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
