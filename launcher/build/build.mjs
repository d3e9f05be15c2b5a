// @ts-check
/**
 * `npm run build`: builds the servers and the front ends whose sources have changed since the last build. `npm start`
 * and `npm test` also run this build.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgress } from '../start/progress.mjs';
import { runQuietly } from '../start/run-quietly.mjs';
import { hashSources, isStampCurrent, writeStamp } from '../start/stamp.mjs';

/**
 * @typedef {object} Build
 * @property {string} name
 * @property {string} title
 * @property {string[][]} commands   Node scripts with their arguments, which run one after the other
 * @property {string[]} sources
 * @property {string[]} results   files that exist after the build
 * @property {string[]} [extra]   texts that also cause a new build when they change, such as an output folder
 */

/** @param {string} root @returns {Build[]} */
const builds = (root) => {
  const remotes = path.relative(root, path.resolve(root, process.env['MF_DIR'] || '.build/mf'));
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
      // With `--changed`, only front ends that have changed are deployed. A front end that was rolled back to an older
      // version therefore stays rolled back.
      commands: [
        ['shell/build/build.mjs', 'shell'],
        ['shell/build/deploy.mjs', '--changed'],
      ],
      sources: [
        'package-lock.json',
        'tsconfig.json',
        'domain/src',
        'ui/src',
        ...['shell', 'mf-listings', 'mf-post-ad', 'mf-community', 'mf-admin'].flatMap((name) => [
          `${name}/src`,
          `${name}/package.json`,
        ]),
        'shell/build',
        'shell/public',
        // The bundle with which the server renders pages.
        'shell/server/rendering',
      ],
      results: ['shell/dist/build.json', path.join(remotes, 'registry.json')],
      extra: [remotes],
    },
  ];
};

/**
 * Runs each build whose sources have changed since it last succeeded. If a build fails, throws an error with the output
 * of the build.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export async function buildIfStale(root, step, signal) {
  for (const { name, title, commands, sources, results, extra } of builds(root)) {
    const stamp = path.join(root, '.build/stamps', name);
    const hash = await hashSources(root, sources, extra);
    if (results.every((result) => existsSync(path.join(root, result))) && (await isStampCurrent(stamp, hash))) continue;
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
    await writeStamp(stamp, hash);
  }
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
