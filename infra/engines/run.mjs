// @ts-check
/**
 * `npm run engines`: the engines of the cluster profile for a trial on one machine, as far as it can run them. Prints the variables that
 * `npm run cluster:local` reads; Ctrl-C stops them and removes their data.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { prepare } from '../embedded/launcher/prepare.mjs';
import { createProgress } from '../embedded/launcher/progress.mjs';

const progress = createProgress();
const dir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-engines-'));
// As root, Postgres runs as another user, who must be able to pass through.
await chmod(dir, 0o711);
/** @type {import('./all.mjs').Engines | null} */
let engines = null;
let isStopping = false;
const stop = async () => {
  if (isStopping) return;
  isStopping = true;
  await engines?.dispose();
  await rm(dir, { recursive: true, force: true });
  process.exit(0);
};
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => void stop());

await prepare(path.resolve(import.meta.dirname, '../..'), progress.step);
// Engines are made with packages that may only now be installed.
const { startEngines } = await import('./all.mjs');
engines = await startEngines({ dir, onStep: progress.step });
progress.done();
for (const line of engines.missing) process.stderr.write(`not running: ${line}\n`);
for (const [name, value] of Object.entries(engines.env)) process.stdout.write(`export ${name}='${value}'\n`);
process.stderr.write(
  'The engines run. In another terminal: set these variables, then npm run cluster:local. Ctrl-C here stops them.\n',
);
