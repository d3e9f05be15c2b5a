// @ts-check
/**
 * Builds outdated remotes and packs each into one signed file with `node shell/build/pack.mjs [name…]`. The file can be
 * deployed with `front-ends install <file>` to any site that knows the key.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packBuild } from './archive.mjs';
import { buildBrowserPackages, requireBuild } from './build.mjs';
import { MF_DIR, ROOT, namesFrom } from './packages.mjs';
import { signingKey } from './signing.mjs';

const FOLDER = path.join(ROOT, '.build/archives');

try {
  const names = namesFrom(process.argv.slice(2));
  await buildBrowserPackages(names);
  const privateKey = signingKey(process.env, MF_DIR);
  await mkdir(FOLDER, { recursive: true });
  for (const name of names) {
    const build = await requireBuild(name);
    const file = path.join(FOLDER, `${name}-${build.artifact.hash}.zip`);
    await writeFile(file, await packBuild(build, privateKey));
    console.log(path.relative(process.env.INIT_CWD ?? process.cwd(), file));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
