// @ts-check
/**
 * The program `alpenglow-remote` of the package for remotes of other repositories:
 *
 *   alpenglow-remote pack                     packs the build in `dist` into one signed file
 *   alpenglow-remote deploy --via <command>   packs the build and deploys it. The command starts `front-ends` of the
 *                                             site. Also with --ahead, --preview, --canary <n>, --auto and --force
 *
 * FRONT_END_PRIVATE_KEY is the key of the deployer. `--dist <folder>` names another folder.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packBuild } from '../archive.mjs';
import { findBuild } from '../artifact.mjs';
import { KIND_OPTIONS, toFlags, toKind } from '../deploy-options.mjs';
import { runOnSite } from '../run-on-site.mjs';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...KIND_OPTIONS, via: { type: 'string' }, dist: { type: 'string', default: 'dist' } },
  });
  const [command, ...others] = positionals;
  if ((command !== 'pack' && command !== 'deploy') || others.length > 0) throw new Error('Name pack or deploy');
  toKind(values);
  const build = await findBuild(path.resolve(values.dist));
  if (!build) throw new Error(`${values.dist} contains no build. Run: rspack build`);
  const archive = await packBuild(build, process.env['FRONT_END_PRIVATE_KEY'] || null);
  if (command === 'deploy') {
    if (values.via === undefined) throw new Error('--via names the command that starts front-ends of the site');
    await runOnSite(values.via, ['install', '-', ...toFlags(values)], archive);
  } else {
    const file = `${build.artifact.name}-${build.artifact.hash}.zip`;
    await writeFile(file, archive);
    process.stdout.write(`${file}\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
