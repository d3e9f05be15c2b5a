// @ts-check
/**
 * `npm run cluster:local`: runs the product as a cluster of processes on one machine, without containers. It starts a
 * gateway and several processes of each service, two by default. Environment variables select the backing services,
 * such as Postgres. The signal SIGUSR2 restarts the services one after the other.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { prepareCheckout } from '../start/prepare.mjs';
import { createProgress } from '../start/progress.mjs';
import { startCluster } from './supervisor.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const log = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);

const each = Number(process.env['CLUSTER_PROCESSES'] || 2);
if (!Number.isInteger(each) || each < 1 || each > 16) {
  log('CLUSTER_PROCESSES: must be a whole number from 1 to 16');
  process.exit(1);
}
if (!process.env['DATABASE_URL']) {
  log(
    [
      'DATABASE_URL: is needed. The cluster profile uses your backing services:',
      '  DATABASE_URL=postgres://…   needed',
      '  EVENTSTORE_URL, KAFKA_BROKERS, REDIS_URL, S3_ENDPOINT and the others of docs/configuration.md: ' +
        'all optional, by default Postgres and files are used',
      'If you have none: npm run engines starts those that this machine can run, and prints the variables.',
    ].join('\n'),
  );
  process.exit(1);
}

const env = {
  ...process.env,
  DATA_DIR: path.resolve(process.env['DATA_DIR'] || '.data-cluster'),
  HOST: process.env['HOST'] ?? '127.0.0.1',
};
const progress = createProgress();
try {
  await prepareCheckout(root, progress.step);
  if (process.env['DEMO'] !== 'off') {
    progress.step('Seeding the demo');
    const seeded = spawnSync(process.execPath, [path.join(root, 'infra/deploy/image/run.mjs'), 'seed'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    if (seeded.status !== 0) throw new Error(seeded.stderr);
  }
  progress.step('Starting the services');
  const cluster = await startCluster({ root, env, each, onMessage: log });
  /** @type {Promise<void> | null} */
  let ending = null;
  const stop = (/** @type {number} */ code) => {
    ending ??= cluster.stop().then(() => process.exit(code));
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => stop(0));
  process.on('SIGUSR2', () => {
    cluster.rollingRestart().then(
      () => log('restarted'),
      (error) => log(`not restarted: ${error.message}`),
    );
  });
  await cluster.ready();
  progress.done();
  process.stdout.write(`Alpenglow is ready at http://localhost:${new URL(cluster.url).port}\n`);
} catch (error) {
  progress.failed();
  log(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
