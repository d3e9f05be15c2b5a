// @ts-check
/**
 * `npm run engines`: starts the backing services that the product needs as a cluster, if this machine can run them.
 * Prints the environment variables for `npm run cluster:local`, and at the end which backing services are missing.
 * Ctrl-C stops the backing services and removes their data.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { prepareCheckout } from '../start/prepare.mjs';
import { createProgress } from '../start/progress.mjs';

const progress = createProgress();
const dir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-engines-'));
// If the current user is root, Postgres runs as another user. That user must be able to enter this folder.
await chmod(dir, 0o711);
/** @type {import('./all.mjs').BackingServices | null} */
let services = null;
let isStopping = false;
const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await services?.dispose();
  await rm(dir, { recursive: true, force: true });
  process.exit(0);
};
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => void stop());

await prepareCheckout(path.resolve(import.meta.dirname, '../..'), progress.step, undefined, { deploys: false });
// This import is dynamic, because the previous step may have installed the packages that it needs.
const { startBackingServices } = await import('./all.mjs');
services = await startBackingServices({ dir, onStep: progress.step });
progress.done();
for (const [name, value] of Object.entries(services.env)) process.stdout.write(`export ${name}='${value}'\n`);
process.stderr.write(
  'The backing services are running. In another terminal, set these variables and run npm run cluster:local. ' +
    'Ctrl-C here stops them.\n',
);
for (const line of services.missing) process.stderr.write(`not run: ${line}\n`);
