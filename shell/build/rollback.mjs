// @ts-check
/**
 * Makes an earlier build of a remote live again with `node shell/build/rollback.mjs <name> [option…]`. Options:
 *
 *   --to <hash>      the build with this hash, instead of the last one that was live and not rolled back
 *   --via <command>  on another site: the command starts `front-ends` there
 */
import { parseArgs } from 'node:util';
import { liveShell } from './deploy.mjs';
import { MF_DIR } from './packages.mjs';
import { describeDeployment, readRegistry, rollback } from './registry.mjs';
import { runOnSite } from './run-on-site.mjs';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, via: { type: 'string' } },
  });
  const { to, via } = values;
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new Error('Name one remote');
  if (via === undefined) {
    const known = Object.keys((await readRegistry(MF_DIR)).remotes);
    if (!known.includes(name)) throw new Error(`${name} is not deployed. Deployed: ${known.join(', ')}`);
    console.log(describeDeployment(await rollback({ mfDir: MF_DIR, name, to, shell: await liveShell(MF_DIR) })));
  } else {
    await runOnSite(via, ['rollback', name, ...(to === undefined ? [] : ['--to', to])]);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
