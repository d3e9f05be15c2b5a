// @ts-check
/**
 * Collects the files that a deployed process needs. Run it after `npm run build`: `node infra/deploy/image/assemble.mjs
 * <folder>`. The container image consists of that folder and Node (infra/deploy/Dockerfile). The programs in the folder
 * can also run on a machine without containers.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const BUNDLES = 'launcher/dist';
/** The program that reads photos and videos. It is not bundled. */
const DECODER = 'infra/decoder';
/**
 * The launcher of the embedded profile, which runs everything on one machine. It is not deployed, because it installs
 * and builds the application, and contains its own Postgres.
 */
const NOT_DEPLOYED = ['embedded.mjs'];
/** The part of the shell that shows remotes from the computers of developers. Only images for staging contain it. */
const LOCAL_REMOTES = /^local-remotes\./u;
/** The scripts that deploy remotes. They are not bundled. */
const DEPLOY_SCRIPTS = [
  ...['deploy-built', 'deploy-options', 'registry', 'registry-entry', 'shell-compatibility', 'shell-files', 'signing'],
  ...['archive', 'file-lock', 'artifact', 'digests'],
].map((name) => `shell/build/${name}.mjs`);
/** Files that the programs read at run time, in addition to the bundles. */
const FILES = [
  'package.json',
  'infra/migrations',
  DECODER,
  // The decoder imports it.
  'domain/src/contracts/pdq.mjs',
  'launcher/seed/articles',
  'infra/deploy/image/run.mjs',
  'infra/deploy/image/healthcheck.mjs',
  'shell/dist',
  'workers/assets',
  ...DEPLOY_SCRIPTS,
];
/** Matches files in packages that no code loads at run time. */
const NEVER_LOADED = /\.(?:[cm]?ts|map|md|markdown|flow)$/iu;
/**
 * The package ffprobe-static contains a program of 60 MB for each operating system. Only the program for this machine
 * is copied, so this machine must be of the same kind as the image.
 */
const PROGRAMS = 'node_modules/ffprobe-static/bin';
const PROGRAM = `${PROGRAMS}/${process.platform}/${process.arch}`;

/**
 * Copies the part of a built checkout that is deployed.
 * @param {string} root    the checkout, installed and built
 * @param {string} target  a folder that is empty or missing
 * @param {{ hasLocalRemotes?: boolean }} [options]  true for staging, so that the setting `LOCAL_REMOTES` works
 * @returns {Promise<{ packages: readonly string[] }>} the copied packages, as folders relative to `root` and `target`
 * @throws {Error} if something is not built or not installed
 */
export async function assemble(root, target, { hasLocalRemotes = false } = {}) {
  if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
  const bundles = bundlesOf(root)
    .filter((file) => file.endsWith('.mjs') && !NOT_DEPLOYED.includes(file))
    .filter((file) => hasLocalRemotes || !LOCAL_REMOTES.test(file))
    .map((file) => `${BUNDLES}/${file}`);
  const remotes = filesOf(root)
    .filter((folder) => folder.startsWith('mf-'))
    .map((folder) => `${folder}/dist`);
  const unbuilt = [...remotes, ...FILES].filter((file) => !existsSync(path.join(root, file)));
  if (bundles.length === 0 || unbuilt.length > 0)
    throw new Error(`${unbuilt[0] ?? BUNDLES} is missing. Run: npm run build`);

  const programs = filesOf(path.join(root, DECODER)).map((file) => `${DECODER}/${file}`);
  const packages = packagesOf(root, [...bundles, ...programs, ...DEPLOY_SCRIPTS]);
  for (const file of [...FILES, ...bundles, ...remotes])
    await cp(path.join(root, file), path.join(target, file), { recursive: true, dereference: true });
  for (const folder of packages) {
    const from = path.join(root, folder);
    // Packages inside of this package are not copied with it. Those that are needed are elements of `packages`
    // themselves.
    const inner = path.join(from, 'node_modules');
    await cp(from, path.join(target, folder), {
      recursive: true,
      filter: (file) => file !== inner && !NEVER_LOADED.test(file) && !isOfAnotherSystem(path.relative(root, file)),
    });
  }
  return { packages };
}

/**
 * Returns the names of the bundles of the last build. The folder may also contain chunks of earlier builds.
 * @param {string} root
 * @returns {string[]}
 */
function bundlesOf(root) {
  const list = path.join(root, BUNDLES, 'bundles.json');
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : filesOf(path.join(root, BUNDLES));
}

/**
 * Returns true if a file is a program for another kind of machine, or if a folder contains only such programs.
 * @param {string} file
 */
function isOfAnotherSystem(file) {
  const name = file.split(path.sep).join('/');
  return (
    name.startsWith(`${PROGRAMS}/`) && !`${name}/`.startsWith(`${PROGRAM}/`) && !`${PROGRAM}/`.startsWith(`${name}/`)
  );
}

/**
 * Returns the packages that bundles import, with all their dependencies, as folders relative to `root`.
 * @param {string} root
 * @param {readonly string[]} bundles
 */
function packagesOf(root, bundles) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = bundles.flatMap((bundle) =>
    importsOf(readFileSync(path.join(root, bundle), 'utf8')).map((imported) => ({
      ...imported,
      from: path.join(root, path.dirname(bundle)),
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

/** Matches the name of a package in quotes, alone or followed by a path. */
const QUOTED = String.raw`["']((?:@[\w.-]+/)?[\w-][\w.-]*)[^"'\s]*["']`;
/**
 * Matches import and export statements. Matches them only at the beginning of a line, because a comment may also
 * contain `from "it"`.
 */
const STATEMENT = new RegExp(String.raw`^(?:(?:import|export)\b(?:[^"'\n]*\bfrom)?|\}\s*from)\s*${QUOTED}`, 'gmu');
const CALL = new RegExp(String.raw`\b(import|\w*require)\(\s*${QUOTED}`, 'gu');

/**
 * Returns the packages that a bundle imports. The bundler (build-servers.mjs) does not include installed packages, so
 * the bundle imports them. A package that is loaded with `require` is optional, because it was not installed at the
 * time of the build.
 * @param {string} code
 */
function importsOf(code) {
  const statements = [...code.matchAll(STATEMENT)].map(([, name = '']) => ({ name, isOptional: false }));
  const calls = [...code.matchAll(CALL)].map(([, call, name = '']) => ({ name, isOptional: call !== 'import' }));
  return [...statements, ...calls].filter(({ name }) => !isBuiltin(name) && name !== 'node');
}

/**
 * Returns the folder from which Node would load a package that a file in `folder` imports.
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
    process.stderr.write('Usage: node infra/deploy/image/assemble.mjs <folder>\n');
    process.exit(2);
  }
  try {
    const { packages } = await assemble(path.resolve(import.meta.dirname, '../../..'), path.resolve(target), {
      hasLocalRemotes: process.env['LOCAL_REMOTES'] === 'on',
    });
    process.stdout.write(`${target}: ${packages.length} packages\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
