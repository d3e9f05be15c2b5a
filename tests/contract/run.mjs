// @ts-check
/**
 * `npm run test:contract [-- --event-store <address>]`: the contract suites as they are, or the event store's alone over the store the address
 * names: `esdb://…` (and `esdb+discover`, `kurrentdb`, `kdb`), `postgres://…` or `memory`. The tests write; on a Postgres into databases
 * of their own, which they remove, on an EventStoreDB into streams with names of their own, which stay.
 * With an address, blocks that could not be run are named and count as a failure. `--without-outages` (broken connections, which take a proxy in
 * front of one node, without TLS or on this machine) says that this block may be missing.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installWhenStale } from '../../infra/embedded/launcher/dependencies.mjs';
import { createProgress } from '../../infra/embedded/launcher/progress.mjs';
import { notRun } from './not-run.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const results = path.join(root, '.build/contract-test-results.json');
const REACH_LIMIT_MS = 14_000;
const NONE = 'postgres://not-needed';

/** @typedef {{ readonly files: readonly string[], readonly env: Readonly<Record<string, string>> }} Plan */

/** A reason not to run, for people. */
class CannotRun extends Error {}

/** Some errors of connections that were tried at several addresses have no message. @param {unknown} error */
const messageOf = (error) =>
  (error instanceof Error && (error.message || ('code' in error && String(error.code)))) || String(error);

/** @param {string | undefined} address @returns {Promise<Plan>} */
async function plan(address) {
  if (address === undefined) return { files: ['tests/contract/'], env: {} };
  if (address === 'memory') return { files: ['tests/contract/event-store.memory'], env: { TEST_POSTGRES_URL: NONE } };
  if (/^postgres(?:ql)?:\/\//u.test(address)) {
    await reachPostgres(address);
    return { files: ['tests/contract/event-store.postgres'], env: { TEST_POSTGRES_URL: address } };
  }
  if (/^(?:esdb|kurrentdb|kdb)(?:\+discover)?:\/\//u.test(address)) {
    const env = { TEST_EVENTSTORE_URL: address, TEST_POSTGRES_URL: NONE };
    await reachEventStoreDb(env);
    return { files: ['tests/contract/event-store.eventstoredb'], env };
  }
  throw new CannotRun(
    `--event-store takes esdb://…, postgres://… or memory, not ${address.split('://')[0]}${address.includes('://') ? '://…' : ''}`,
  );
}

/** @param {string} address */
async function reachPostgres(address) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: REACH_LIMIT_MS });
  try {
    await client.connect();
  } catch (error) {
    throw new CannotRun(`This Postgres cannot be reached: ${messageOf(error)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Through the adapter, so that what answers is sure to be an event store. @param {Record<string, string>} env */
async function reachEventStoreDb(env) {
  const { bundleForNode } = await import('../support/bundle.mjs');
  const { path: program, remove } = await bundleForNode('./reach-event-store.ts');
  try {
    const { status, stderr } = spawnSync(process.execPath, [program], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      timeout: REACH_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    if (status !== 0)
      throw new CannotRun(`This EventStoreDB cannot be used: ${stderr.trim().split('\n')[0] || 'it does not answer'}`);
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
  if (withoutOutages && address === undefined)
    throw new CannotRun('--without-outages means something with --event-store only');
  return { address, withoutOutages };
}

try {
  const { address, withoutOutages } = readArguments();
  // What the suites are made with may only now be installed.
  const progress = createProgress();
  await mkdir(path.join(root, '.build'), { recursive: true });
  await installWhenStale(root, progress.step);
  progress.done();
  const { files, env } = await plan(address);
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
    const { names, isAccepted } = notRun(read, { withoutOutages });
    for (const name of names) process.stdout.write(`not run: ${name}\n`);
    if (!isAccepted) {
      process.stderr.write(
        'The store is not proven: blocks above were not run. --without-outages accepts that broken connections are not.\n',
      );
      process.exitCode ||= 1;
    }
  }
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
