// @ts-check
/**
 * Generates the types of remotes with the plugin of Module Federation, and compiles the shell's use of them: `npm run
 * types [-- name…]`. Without names, it does this for all remotes.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { compile } from './build.mjs';
import { ROOT, namesFrom, typesDir } from './packages.mjs';

const COMPILER = path.join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const TIME_LIMIT_ms = 10 * 60_000;

/**
 * Generates the archive with the types of a remote's `./App` and of the contract with which it was compiled.
 * @param {string} name
 * @returns {Promise<string>} the path of the archive
 * @throws {Error} if the types cannot be generated
 */
export async function generateTypes(name) {
  const dir = typesDir(name);
  await rm(dir, { recursive: true, force: true });
  // The compiler would not write the removed files again, because it notes here what it has written.
  await rm(path.join(ROOT, name, 'node_modules/.cache/mf-types'), { recursive: true, force: true });
  await compile(name, { types: true });
  const archive = path.join(dir, '@mf-types.zip');
  if (!existsSync(archive)) throw new Error(`The types of ${name} were not generated`);
  return archive;
}

/**
 * Checks that the shell can render the `./App` of a remote, with the types of its archive.
 * @param {string} name  the name of the remote, for messages
 * @param {string} dir  the folder that contains the content of the archive as `@mf-types`
 * @throws {Error} with the compiler's messages if the shell cannot render it
 */
export async function checkTypes(name, dir) {
  const types = path.join(dir, '@mf-types');
  const project = path.join(dir, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: path.join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        // The App uses the contract with which it was compiled, and the shell passes the values of its own contract.
        paths: {
          'remote-types/*': [path.join(types, '*')],
          '@alpenglow/ui': [path.join(types, 'compiled-types/ui/src/index.d.ts')],
        },
        typeRoots: [path.join(ROOT, 'node_modules/@types')],
      },
      files: [path.join(import.meta.dirname, 'types/accepted-app.ts')],
      include: [],
    }),
  );
  try {
    await promisify(execFile)(process.execPath, [COMPILER, '--project', project, '--singleThreaded'], {
      cwd: ROOT,
      timeout: TIME_LIMIT_ms,
    });
  } catch (error) {
    const { stdout = '', message } = /** @type {Error & { stdout?: string }} */ (error);
    throw new Error(`The shell cannot render ${name}:\n${stdout || message}`, { cause: error });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    for (const name of namesFrom(process.argv.slice(2))) {
      const started_ms = Date.now();
      const archive = await generateTypes(name);
      await checkTypes(name, typesDir(name));
      console.log(`${name.padEnd(13)} ${path.relative(ROOT, archive)}, checked in ${Date.now() - started_ms} ms`);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
