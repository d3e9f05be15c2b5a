// @ts-check
/**
 * Runs the contract tests: `npm run test:contract [-- --event-store <address>]`.
 *
 * Without an address, all contract tests run. With an address, only the tests of the event store run, and
 * they use the store at this address. The address is `esdb://…`, `postgres://…` or `memory`. For
 * EventStoreDB, the schemes `esdb+discover`, `kurrentdb` and `kdb` are also accepted.
 *
 * The tests write. On Postgres they create databases and remove them afterwards. On EventStoreDB they create
 * streams and do not remove them.
 *
 * With an address, the command prints every test that did not run, and fails if there is one.
 * `--without-outages` accepts that the tests of broken connections do not run. These tests connect through a
 * proxy. The proxy needs a single node that has no TLS or is on this machine.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installIfStale } from '../../launcher/start/install.mjs';
import { createProgress } from '../../launcher/start/progress.mjs';
import { findSkippedTests } from './skipped-tests.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const results = path.join(root, '.build/contract-test-results.json');
const CONNECT_TIMEOUT_MS = 14_000;
const UNUSED_ADDRESS = 'postgres://not-needed';

/** @typedef {{ readonly files: readonly string[], readonly env: Readonly<Record<string, string>> }} Plan */

/** Error whose message explains to the user why the tests cannot run. */
class CannotRun extends Error {}

/**
 * Returns the message of an error, or its code if the message is empty. The message is empty if connections to
 * several IP addresses failed.
 * @param {unknown} error
 */
const messageOf = (error) =>
  (error instanceof Error && (error.message || ('code' in error && String(error.code)))) || String(error);

/** @param {string | undefined} address @returns {Promise<Plan>} */
async function createPlan(address) {
  if (address === undefined) return { files: ['tests/contract/'], env: {} };
  if (address === 'memory')
    return { files: ['tests/contract/event-store.memory'], env: { TEST_POSTGRES_URL: UNUSED_ADDRESS } };
  if (/^postgres(?:ql)?:\/\//u.test(address)) {
    await checkPostgres(address);
    return { files: ['tests/contract/event-store.postgres'], env: { TEST_POSTGRES_URL: address } };
  }
  if (/^(?:esdb|kurrentdb|kdb)(?:\+discover)?:\/\//u.test(address)) {
    const env = { TEST_EVENTSTORE_URL: address, TEST_POSTGRES_URL: UNUSED_ADDRESS };
    await checkEventStoreDb(env);
    return { files: ['tests/contract/event-store.eventstoredb'], env };
  }
  throw new CannotRun(
    '--event-store accepts esdb://…, postgres://… or memory, not ' +
      `${address.split('://')[0]}${address.includes('://') ? '://…' : ''}`,
  );
}

/** @param {string} address */
async function checkPostgres(address) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
  } catch (error) {
    throw new CannotRun(`This Postgres cannot be reached: ${messageOf(error)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Connects to the server. Throws `CannotRun` if the server does not respond or is no event store.
 * @param {Record<string, string>} env
 */
async function checkEventStoreDb(env) {
  const { bundleForNode } = await import('../support/bundle.mjs');
  const { path: program, remove } = await bundleForNode('./reach-event-store.ts');
  try {
    const { status, stdout } = spawnSync(process.execPath, [program], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: CONNECT_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    if (status !== 0)
      throw new CannotRun(`This EventStoreDB cannot be used: ${stdout.trim().split('\n')[0] || 'it does not respond'}`);
  } finally {
    await remove();
  }
}

/** @returns {{ address: string | undefined, withoutOutages: boolean }} */
function readArguments() {
  let values;
  try {
    ({ values } = parseArgs({
      options: { 'event-store': { type: 'string' }, 'without-outages': { type: 'boolean' } },
    }));
  } catch (error) {
    throw new CannotRun(messageOf(error));
  }
  const { 'event-store': address, 'without-outages': withoutOutages = false } = values;
  if (withoutOutages && address === undefined) throw new CannotRun('--without-outages requires --event-store');
  return { address, withoutOutages };
}

try {
  const { address, withoutOutages } = readArguments();
  // The npm packages of the tests may be missing or outdated, so they are installed first.
  const progress = createProgress();
  await mkdir(path.join(root, '.build'), { recursive: true });
  await installIfStale(root, progress.step);
  progress.done();
  const { files, env } = await createPlan(address);
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  await rm(results, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'tests/vitest.config.ts', '--project', 'integration', ...reporters, ...files],
    { cwd: root, env: { ...process.env, TEST_SCOPE: 'all', ...env }, stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
  const read = await readFile(results, 'utf8').then(JSON.parse, () => null);
  if (address !== undefined && read !== null) {
    const { names, isAccepted } = findSkippedTests(read, { withoutOutages });
    for (const name of names) process.stdout.write(`not run: ${name}\n`);
    if (!isAccepted) {
      process.stderr.write(
        'The tests above were not run, so the store is not verified. ' +
          'Use --without-outages to accept a run without the tests of broken connections.\n',
      );
      process.exitCode ||= 1;
    }
  }
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
