// @ts-check
/**
 * Runs `npm run bench`, or one of the benchmarks `npm run bench:cluster`, `bench:erasures`, `bench:mails`,
 * `bench:peers` and `bench:web` (README.md).
 */
import { runBundled } from '../tests/support/run-bundled.mjs';
import { readArguments } from './arguments.mjs';

const WRONG_USAGE = 2;
/** The programs of the benchmarks. @type {Readonly<Record<string, string>>} */
const ENTRIES = {
  main: 'bench/bench.ts',
  cluster: 'bench/cluster.ts',
  erasures: 'bench/erasures.ts',
  mails: 'bench/mails.ts',
  peers: 'bench/peers.ts',
  web: 'bench/web/web.ts',
};

const request = readArguments(process.argv.slice(2));
if ('name' in request) {
  const { name, args, opensPages } = request;
  await runBundled(ENTRIES[name] ?? '', ({ bench }, root) => bench(root, args), { opensPages });
} else if (request.error === null) {
  process.stdout.write(`${request.usage}\n`);
} else {
  process.stderr.write(`${request.error}\n\n${request.usage}\n`);
  process.exitCode = WRONG_USAGE;
}
