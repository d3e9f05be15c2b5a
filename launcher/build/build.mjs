// @ts-check
/**
 * `npm run build`: builds the servers and the front ends whose sources have changed since the last build. It does not
 * deploy the front ends, so a running site does not change. `npm start` and `npm test` run this build and deploy.
 */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFiles } from '../../shell/build/hash-files.mjs';
import { createProgress } from '../start/progress.mjs';
import { runQuietly } from '../start/run-quietly.mjs';

/**
 * @typedef {object} Build
 * @property {string} name
 * @property {string} title
 * @property {string[][]} commands   Node scripts with their arguments, which run one after the other
 * @property {string[]} sources
 * @property {string[]} results   files that exist after the build
 * @property {string[]} [extra]   texts that also cause a new run when they change, such as an output folder
 */

/** @param {string} root @returns {Build[]} */
const builds = (root) => {
  const frontEnds = findFrontEnds(root);
  return [
    {
      name: 'servers',
      title: 'Building the servers',
      commands: [['launcher/build/build-servers.mjs']],
      sources: [
        'package-lock.json',
        'tsconfig.json',
        'domain/src',
        'infra/src',
        'infra/gateway',
        'launcher/embedded',
        'launcher/postgres',
        'launcher/seed',
        'launcher/tools',
        'command-api/src',
        'query-api/src',
        'projectors/src',
        'workers/src',
        'shell/server',
        'shell/build/digests.mjs',
        'shell/build/file-lock.mjs',
        'shell/build/registry.mjs',
        'shell/build/registry-entry.mjs',
        'shell/build/shell-compatibility.mjs',
        'shell/build/shell-files.mjs',
        'shell/build/artifact.mjs',
        'shell/build/signing.mjs',
        'shell/build/local-remote-token.mjs',
        // The server imports this code of the browser to render the first HTML.
        'shell/src/exit',
        'shell/src/hydration',
        'shell/src/routes',
        'shell/src/theme',
        'ui/src',
      ],
      results: ['launcher/dist/embedded.mjs'],
    },
    {
      name: 'front-ends',
      title: 'Building the front ends',
      commands: [['shell/build/build.mjs']],
      sources: [
        'package-lock.json',
        'tsconfig.json',
        'domain/src',
        'ui/src',
        ...frontEnds.flatMap((name) => [`${name}/src`, `${name}/package.json`, `${name}/rspack.config.mjs`]),
        'shell/build',
        'shell/public',
        // The bundle with which the server renders pages.
        'shell/server/rendering',
        'shell/server/html.ts',
      ],
      results: frontEnds.map((name) => `${name}/dist/build.json`),
    },
  ];
};

/** @param {string} root */
const findFrontEnds = (root) =>
  readdirSync(root).filter((name) => existsSync(path.join(root, name, 'rspack.config.mjs')));

/** @param {string} root @returns {Build} */
function deployment(root) {
  const remotes = path.relative(root, path.resolve(root, process.env['MF_DIR'] || '.build/mf'));
  const privateKey = process.env['FRONT_END_PRIVATE_KEY'] ?? '';
  return {
    name: 'deployment',
    title: 'Deploying the front ends',
    // With `--changed`, only front ends that have changed are deployed. A front end that was rolled back to an older
    // version therefore stays rolled back.
    commands: [['shell/build/deploy.mjs', '--changed']],
    sources: findFrontEnds(root).map((name) => `${name}/dist/build.json`),
    // Without the key of this machine, the live builds have no valid signature (shell/build/signing.mjs).
    results: [path.join(remotes, 'registry.json'), ...(privateKey === '' ? [`${remotes}.key`] : [])],
    extra: [remotes, privateKey],
  };
}

/**
 * Runs each build whose sources have changed since it last succeeded. If a build fails, throws an error with the output
 * of the build.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export async function buildIfStale(root, step, signal) {
  for (const build of builds(root)) await runIfStale(root, build, step, signal);
}

/**
 * Deploys the front ends whose builds have changed since they were last deployed into `MF_DIR`.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export const deployIfStale = (root, step, signal) => runIfStale(root, deployment(root), step, signal);

/**
 * @param {string} root
 * @param {Build} build
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
async function runIfStale(root, { name, title, commands, sources, results, extra = [] }, step, signal) {
  const stamp = path.join(root, '.build/stamps', name);
  // Built files may contain the path of the checkout.
  const hash = hashFiles(root, sources, [root, ...extra]);
  const isBuilt = results.every((result) => existsSync(path.join(root, result)));
  if (isBuilt && (await readFile(stamp, 'utf8').catch(() => '')) === hash) return;
  step(title);
  await rm(stamp, { force: true });
  for (const [script = '', ...args] of commands) {
    await runQuietly(process.execPath, [path.join(root, script), ...args], {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
      title,
      signal,
    });
  }
  await mkdir(path.dirname(stamp), { recursive: true });
  await writeFile(stamp, hash);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const progress = createProgress();
  try {
    await buildIfStale(path.resolve(import.meta.dirname, '../..'), progress.step);
    progress.done();
  } catch (error) {
    progress.failed();
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
