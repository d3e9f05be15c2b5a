// @ts-check
/**
 * Runs `npm run screenshots [-- name…]`. Saves screenshots of every screen, menu, dialog and error in `screenshots/`,
 * at two widths and in both color themes. The arguments are parts of the names of the screens to save.
 */
import { runBundled } from '../support/run-bundled.mjs';

await runBundled(
  'tests/screens/screenshots.ts',
  ({ takeScreenshots }, root) => takeScreenshots({ root, names: process.argv.slice(2) }),
  { opensPages: true },
);
