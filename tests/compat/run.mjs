// @ts-check
/**
 * Runs `npm run compat -w <remote>`: the smoke flows of the remote in a browser, with the last ten shells of this
 * machine and with its own last ten builds. In the package of the shell, it checks all remotes.
 */
import { runBundled } from '../support/run-bundled.mjs';

try {
  await runBundled(
    'tests/compat/compat.ts',
    ({ checkCompatibility }, root) => checkCompatibility({ root, names: process.argv.slice(2) }),
    { opensPages: true },
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
