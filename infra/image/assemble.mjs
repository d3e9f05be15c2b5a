// @ts-check
/**
 * Puts together what a deployed process needs and nothing else: `node infra/image/assemble.mjs <folder>`, after `npm run build`.
 * The image is that folder beside Node (infra/Dockerfile); a machine without containers can run from it just as well.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BUNDLES = 'infra/dist';
/** The launcher of the embedded profile: it installs, builds and brings a Postgres of its own. */
const NOT_DEPLOYED = ['embedded.mjs'];
/** What else is read at run time. */
const FILES = [
  'package.json',
  'infra/migrations',
  'infra/embedded/seed/articles',
  'infra/image/run.mjs',
  'infra/image/healthcheck.mjs',
  'shell/dist',
  ...['deploy-built', 'registry', 'file-lock', 'artifact'].map((name) => `shell/build/${name}.mjs`),
];
/** Files of packages that nobody loads. */
const NOT_LOADED = /\.(?:[cm]?ts|map|md|markdown|flow)$/iu;
/** A program for every system, 60 MB each: one is for the machine this is put together on, which is of the image's kind. */
const PROGRAMS = 'node_modules/ffprobe-static/bin';
const PROGRAM = `${PROGRAMS}/${process.platform}/${process.arch}`;

/**
 * Copies the deployed part of a built checkout.
 * @param {string} root    the checkout, installed and built
 * @param {string} target  a folder that is empty or not there
 * @returns {Promise<{ packages: readonly string[] }>} the folders of the packages taken, relative to both
 * @throws {Error} when something is not built or not installed
 */
export async function assemble(root, target) {
  if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
  const bundles = filesOf(path.join(root, BUNDLES))
    .filter((file) => file.endsWith('.mjs') && !NOT_DEPLOYED.includes(file))
    .map((file) => `${BUNDLES}/${file}`);
  const remotes = filesOf(root)
    .filter((folder) => folder.startsWith('mf-'))
    .map((folder) => `${folder}/dist`);
  const unbuilt = [...remotes, ...FILES].filter((file) => !existsSync(path.join(root, file)));
  if (bundles.length === 0 || unbuilt.length > 0)
    throw new Error(`${unbuilt[0] ?? BUNDLES} is not there. Run: npm run build`);

  const packages = packagesOf(root, bundles);
  for (const file of [...FILES, ...bundles, ...remotes])
    await cp(path.join(root, file), path.join(target, file), { recursive: true });
  for (const folder of packages) {
    const from = path.join(root, folder);
    // A package inside a package is in the list itself if anybody needs it.
    const inner = path.join(from, 'node_modules');
    await cp(from, path.join(target, folder), {
      recursive: true,
      filter: (file) => file !== inner && !NOT_LOADED.test(file) && !isOfAnotherSystem(path.relative(root, file)),
    });
  }
  return { packages };
}

/**
 * Whether a file, or all of a folder, is a program for machines of another kind.
 * @param {string} file
 */
function isOfAnotherSystem(file) {
  const name = file.split(path.sep).join('/');
  return (
    name.startsWith(`${PROGRAMS}/`) && !`${name}/`.startsWith(`${PROGRAM}/`) && !`${PROGRAM}/`.startsWith(`${name}/`)
  );
}

/**
 * The packages that bundles import, and all that those need, as folders relative to `root`.
 * @param {string} root
 * @param {readonly string[]} bundles
 */
function packagesOf(root, bundles) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = bundles.flatMap((bundle) =>
    importsOf(readFileSync(path.join(root, bundle), 'utf8')).map((wanted) => ({
      ...wanted,
      from: path.join(root, BUNDLES),
    })),
  );
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { name, from, isOptional } = next;
    const folder = locate(from, name);
    if (folder === null && !isOptional)
      throw new Error(`${name} is not installed; ${path.relative(root, from)} needs it`);
    if (folder === null || found.has(folder)) continue;
    found.add(folder);
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
    } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      if (!needed.startsWith('@types/'))
        waiting.push({
          name: needed,
          from: folder,
          isOptional: !(needed in dependencies) || needed in optionalDependencies,
        });
    }
  }
  return [...found].map((folder) => path.relative(root, folder)).sort();
}

/**
 * The packages a bundle names. build-servers.mjs leaves each installed package outside behind an import; what it leaves behind a `require`
 * was not installed when it looked, and is not missed.
 * @param {string} code
 */
function importsOf(code) {
  return [
    ...code.matchAll(/(?:\bfrom |\bimport |\b(import|\w*require)\()\s*["']((?:@[\w.-]+\/)?[\w-][\w.-]*)[^"'\s]*["']/gu),
  ]
    .map(([, call, name = '']) => ({ name, isOptional: call !== undefined && call !== 'import' }))
    .filter(({ name }) => !isBuiltin(name) && name !== 'node');
}

/**
 * The folder Node takes a package from, seen from `folder`.
 * @param {string} folder
 * @param {string} name
 * @returns {string | null}
 */
function locate(folder, name) {
  const candidate = path.join(folder, 'node_modules', name);
  if (existsSync(path.join(candidate, 'package.json'))) return candidate;
  const parent = path.dirname(folder);
  return parent === folder ? null : locate(parent, name);
}

/** @param {string} folder */
const filesOf = (folder) => (existsSync(folder) ? readdirSync(folder).sort() : []);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [target] = process.argv.slice(2);
  if (target === undefined) {
    process.stderr.write('Usage: node infra/image/assemble.mjs <folder>\n');
    process.exit(2);
  }
  try {
    const { packages } = await assemble(path.resolve(import.meta.dirname, '../..'), path.resolve(target));
    process.stdout.write(`${target}: ${packages.length} packages\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
