// @ts-check
/** `npm run prove`: runs the checker (README.md). */
import { runBundled } from '../tests/support/run-bundled.mjs';

process.exitCode = await runBundled('prove/prove.ts', ({ prove }, root) => prove(root, process.argv.slice(2)));
// A timer of a library must not delay the end.
process.exit();
