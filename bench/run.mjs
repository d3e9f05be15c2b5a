// @ts-check
/**
 * Runs `npm run bench`, or one of the benchmarks `npm run bench:cluster`, `bench:erasures`, `bench:mails`,
 * `bench:peers` and `bench:web` (README.md).
 */
import { runBundled } from '../tests/support/run-bundled.mjs';

const args = process.argv.slice(2);
/** Entry files of the other benchmarks, by the first argument. @type {Record<string, string>} */
const OTHERS = {
  cluster: 'bench/cluster.ts',
  erasures: 'bench/erasures.ts',
  mails: 'bench/mails.ts',
  peers: 'bench/peers.ts',
  web: 'bench/web/web.ts',
};
const other = OTHERS[args[0] ?? ''];
await runBundled(
  other ?? 'bench/bench.ts',
  ({ bench }, root) => bench(root, other === undefined ? args : args.slice(1)),
  { opensPages: args[0] === 'web' },
);
