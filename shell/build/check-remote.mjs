// @ts-check
/**
 * The check of a remote before its deployment: its types fit the contract of the shell, and its own tests pass. Whether
 * the live shell can run the build is checked by the deployment itself (registry.mjs).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkTypes, generateTypes } from './check-types.mjs';
import { hashFiles } from './hash-files.mjs';
import { computeInputHash } from './input-hash.mjs';
import { ROOT, typesDir } from './packages.mjs';

const VITEST = path.join(ROOT, 'node_modules/vitest/vitest.mjs');
const TIME_LIMIT_ms = 10 * 60_000;

/** @param {string} name */
const stampFile = (name) => path.join(ROOT, '.build/checked', name);

/**
 * Returns a hash of everything on which the result of the check depends.
 * @param {string} name
 */
const hashInputs = (name) =>
  hashFiles(ROOT, [`${name}/test`, 'tests/vitest.config.ts', 'tsconfig.json'], [computeInputHash(name)]);

/**
 * Runs the unit tests of a remote, without a database.
 * @param {string} name
 * @returns {Promise<void>}
 * @throws {Error} with the output if a test fails
 */
async function runTests(name) {
  const child = spawn(
    process.execPath,
    [VITEST, 'run', '--passWithNoTests', '--config', 'tests/vitest.config.ts', '--project', 'unit', `${name}/`],
    {
      cwd: ROOT,
      // With an address, the run starts no database server. Unit tests of remotes use none.
      env: { ...process.env, NODE_ENV: 'test', TEST_POSTGRES_URL: 'postgres://unit-tests-need-no-database' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIME_LIMIT_ms,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The tests of ${name} fail:\n${output}`);
}

/** The parts of the check. Tests replace them, because both need many seconds. */
const PARTS = {
  /** @param {string} name */
  types: async (name) => {
    await generateTypes(name);
    await checkTypes(name, typesDir(name));
  },
  tests: runTests,
};

/**
 * Checks the types and runs the tests of a remote. It does nothing if the same sources have passed before.
 * @param {string} name
 * @param {{ report?: (line: string) => void, parts?: typeof PARTS, stamp?: string }} [options]  `stamp` is the file
 * that records the sources that have passed
 * @throws {Error} with the reasons if one of them fails
 */
export async function checkRemote(name, { report = console.log, parts = PARTS, stamp = stampFile(name) } = {}) {
  const inputs = hashInputs(name);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return;
  const started_ms = Date.now();
  try {
    await parts.types(name);
    await parts.tests(name);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new Error(`${message}\n${name} was not deployed. With --force, it is deployed without this check`, {
      cause: error,
    });
  }
  await mkdir(path.dirname(stamp), { recursive: true });
  await writeFile(stamp, inputs);
  report(`${name.padEnd(13)} types and tests checked in ${Date.now() - started_ms} ms`);
}
