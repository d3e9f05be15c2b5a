import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { eventually } from '../support/eventually.ts';

/** The commands of `@rspack/cli` in the package of a front end, as its developers use them. */
const NAME = 'mf-community';
const PACKAGE = path.resolve(import.meta.dirname, '../..', NAME);

let server: ChildProcess | undefined;
afterEach(() => {
  // npm has started the server, so the whole process group ends.
  if (server?.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
  server = undefined;
});

function npmRun(script: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn('npm', ['run', '--silent', script], {
    cwd: PACKAGE,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
}

/** Starts a server, and returns the response to a request for a path as soon as there is one. */
async function serve(script: string, requested: string): Promise<Response> {
  const port = await findFreePort();
  server = npmRun(script, { PORT: String(port) });
  return eventually(() => fetch(`http://localhost:${port}${requested}`));
}

it('build publishes a container with its manifest, and preview serves it', async () => {
  const [code] = (await once(npmRun('build'), 'close')) as [number | null];
  expect(code).toBe(0);
  const manifest = await readFile(path.join(await realpath(path.join(PACKAGE, 'dist')), 'mf-manifest.json'), 'utf8');
  const { exposes } = JSON.parse(manifest) as { readonly exposes: readonly { readonly path: string }[] };
  expect(exposes.map((exposed) => exposed.path)).toEqual(['./App']);
  const response = await serve('preview', '/mf-manifest.json');
  expect([response.status, await response.text()]).toEqual([200, manifest]);
});

it('dev serves a page with the remote, and dev:shell its manifest', async () => {
  const page = await serve('dev', '/');
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`<title>${NAME}</title>`)]);
  process.kill(-(server?.pid ?? 0), 'SIGTERM');
  const inShell = await serve('dev:shell', '/mf/under-development/current/mf-manifest.json');
  expect([inShell.status, await inShell.text()]).toEqual([200, expect.stringContaining('"./App"')]);
});
