// @ts-check
/** `npm run build`: builds what is stale of servers and front ends. `npm start` and `npm test` call it too. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgress } from './launcher/progress.mjs';
import { runQuietly } from './launcher/run-quietly.mjs';
import { hashSources, isFresh, writeStamp } from './launcher/stamp.mjs';

/**
 * @typedef {object} Build
 * @property {string} name
 * @property {string} title
 * @property {string[][]} commands   Node scripts with their arguments, run one after the other
 * @property {string[]} sources
 * @property {string[]} results   what must exist afterwards
 * @property {string[]} [extra]   what else the result depends on
 */

/**
 * @param {string} root
 * @returns {Build[]}
 */
const builds = (root) => {
  const remotes = path.relative(root, path.resolve(root, process.env['MF_DIR'] || '.build/mf'));
  return [
    {
      name: 'servers',
      title: 'Building the servers',
      commands: [['infra/embedded/build-servers.mjs']],
      sources: [
        'package-lock.json',
        'tsconfig.json',
        'domain/src',
        'infra/src',
        'infra/embedded',
        'infra/tools',
        'command-api/src',
        'query-api/src',
        'projectors/src',
        'workers/src',
        'shell/server',
        // What the first HTML shares with the browser: who owns an address, languages, the contract.
        'shell/src/routes',
        'shell/src/theme',
        'ui/src',
      ],
      results: ['infra/dist/embedded.mjs'],
    },
    {
      name: 'front-ends',
      title: 'Building the front ends',
      // A remote that is live already, or was rolled back, stays as it is.
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
      ],
      results: ['shell/dist/build.json', path.join(remotes, 'registry.json')],
      extra: [remotes],
    },
  ];
};

/**
 * Runs the builds whose sources changed since they last succeeded. Throws with the builder's output if one fails.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export async function buildWhenStale(root, step, signal) {
  for (const { name, title, commands, sources, results, extra } of builds(root)) {
    const stamp = path.join(root, '.build/stamps', name);
    const hash = await hashSources(root, sources, extra);
    if (results.every((result) => existsSync(path.join(root, result))) && (await isFresh(stamp, hash))) continue;
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
    await buildWhenStale(path.resolve(import.meta.dirname, '../..'), progress.step);
    progress.done();
  } catch (error) {
    progress.failed();
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
