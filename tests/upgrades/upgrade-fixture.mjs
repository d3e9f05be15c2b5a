// @ts-check
/**
 * `npm run upgrade-fixture [-- <commit> …]`: writes the data folder of a commit for the upgrade tests. Without an
 * argument, the commit is HEAD. Each commit is installed and built from its own lock file in `.build/upgrades`.
 */
import { runBundled } from '../support/run-bundled.mjs';

const commits = process.argv.slice(2);
await runBundled(
  'tests/upgrades/make-folder.ts',
  async ({ makeFolder }) => {
    for (const commit of commits.length > 0 ? commits : ['HEAD']) await makeFolder(commit);
  },
  { deploys: false },
);
