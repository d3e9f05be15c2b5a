// @ts-check
/**
 * Runs the contract tests: `npm run test:contract [-- --event-store <address>]`.
 *
 * Without an address, all contract tests run, and those of EventStoreDB use the server at `TEST_EVENTSTORE_URL`.
 * If it is not set and the program of the server is on the `PATH`, the command starts one. With an address, only
 * the tests of the event store run, and they use the store at this address. The address is `esdb://…`,
 * `postgres://…` or `memory`. For EventStoreDB, the schemes `esdb+discover`, `kurrentdb` and `kdb` are also
 * accepted. `esdb` alone means the server that is used without an address.
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
import { BackingServiceUnavailable } from '../../launcher/engines/engine.mjs';
import { createEventStoreDb, NO_EVENTSTOREDB } from '../../launcher/engines/eventstoredb.mjs';
import { createServerFolder, removeServerFiles } from '../support/server-folder.mjs';
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

/** The address that means the server at `TEST_EVENTSTORE_URL`, or one that this command starts. */
const OWN_SERVER = 'esdb';

/**
 * Returns the address of the EventStoreDB for tests, and starts it if necessary. Returns null if there is none.
 * @returns {Promise<{ readonly address: string, readonly stop: () => Promise<void> } | null>}
 */
async function findEventStoreDb() {
  const given = process.env['TEST_EVENTSTORE_URL'];
  if (given !== undefined) return { address: given, stop: () => Promise.resolve() };
  const dir = await createServerFolder('contract');
  try {
    const server = await createEventStoreDb({ dir: path.join(dir, 'eventstoredb') });
    const stop = async () => {
      await server.dispose();
      await removeServerFiles(dir);
    };
    await server.start().catch(async (/** @type {unknown} */ error) => {
      await stop();
      throw error;
    });
    return { address: server.env['EVENTSTORE_URL'] ?? '', stop };
  } catch (error) {
    await removeServerFiles(dir);
    if (error instanceof BackingServiceUnavailable) return null;
    throw error;
  }
}

/** @param {string | undefined} address @param {string | undefined} ownServer @returns {Promise<Plan>} */
async function createPlan(address, ownServer) {
  if (address === undefined)
    return {
      files: ['tests/contract/'],
      env: { ...(ownServer !== undefined && { STARTED_EVENTSTORE_URL: ownServer }) },
    };
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
    '--event-store accepts esdb, esdb://…, postgres://… or memory, not ' +
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

/** @param {{ address: string | undefined, withoutOutages: boolean, ownServer: string | undefined }} options */
async function runTests({ address, withoutOutages, ownServer }) {
  const { files, env } = await createPlan(address, ownServer);
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
}

try {
  const { address, withoutOutages } = readArguments();
  // The npm packages of the tests may be missing or outdated, so they are installed first.
  const progress = createProgress();
  await mkdir(path.join(root, '.build'), { recursive: true });
  await installIfStale(root, progress.step);
  const usesOwnServer = address === undefined || address === OWN_SERVER;
  if (usesOwnServer) progress.step('Starting eventstoredb');
  const server = usesOwnServer ? await findEventStoreDb() : null;
  progress.done();
  try {
    if (address !== OWN_SERVER || server !== null)
      await runTests({
        address: address === OWN_SERVER ? server?.address : address,
        withoutOutages,
        ownServer: server?.address,
      });
  } finally {
    await server?.stop();
  }
  if (usesOwnServer && server === null) process.stdout.write(`not run: ${NO_EVENTSTOREDB}\n`);
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
