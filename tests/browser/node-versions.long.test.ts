import { execFile, execFileSync } from 'node:child_process';
import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { createApiClient, PASSWORD } from '../support/api-client.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { setUpLaunches, signalGroup } from '../support/launches.ts';
import { installNode, NODE_VERSIONS, withNode } from '../support/node-versions.ts';
import { pictures } from '../support/pictures.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { waitForReadModels } from '../support/threads.ts';
import { upload } from '../support/uploads.ts';

/**
 * Smoke test of the supported versions of Node. `npm start` runs with each of them, on the bundles of this checkout.
 * These are the same for all versions. All other tests run with one version.
 */
const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const { launch } = setUpLaunches();
afterAll(closeVisitors);

/** Packages with binary parts. The image has only those of the services; the others build and test the product. */
const NATIVE_PACKAGES = ['sharp', 'msgpackr', '@rspack/core', '@node-rs/argon2', 'vitest/node'];
/** Scripts of the tools that `npm run lint` and `npm run typecheck` run. */
const TOOLS = ['@biomejs/biome/bin/biome', 'oxlint/bin/oxlint', 'knip/bin/knip.js', '@typescript/native/bin/tsc'];

/**
 * Returns the folder of a version of Node. If it cannot be installed, the test is reported as not run. In continuous
 * integration, the test then fails.
 */
async function requireNode(version: string, { skip }: TestContext): Promise<string> {
  try {
    return await installNode(version);
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    const code = /^npm error code (\S+)/mu.exec(String(error))?.[1] ?? String(error);
    return skip(`npm could not install this version (${code})`);
  }
}

/** Returns the programs of a process and of all its descendants. Only Linux shows them. */
function runningPrograms(pid: number): readonly string[] {
  const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/u).map(Number));
  const withDescendants = (parent: number): number[] => [
    parent,
    ...all.flatMap(([child = 0, of]) => (of === parent ? withDescendants(child) : [])),
  ];
  return withDescendants(pid).flatMap((id) => {
    try {
      return [readlinkSync(`/proc/${id}/exe`)];
    } catch {
      // The process has ended, or belongs to another user.
      return [];
    }
  });
}

describe.each(NODE_VERSIONS)('with Node %s', (version) => {
  test('every package supports this version, and the packages with binary parts load', async (context) => {
    const folder = await requireNode(version, context);
    const options = { cwd: root, env: { ...process.env, ...withNode(folder), NODE_OPTIONS: '' } };
    const node = path.join(folder, 'node');
    await run('npm', ['ci', '--dry-run', '--engine-strict', '--ignore-scripts', '--no-audit', '--offline'], options);
    const imports = NATIVE_PACKAGES.map((name) => `await import('${name}');`).join('');
    const outputs = [await run(node, ['--input-type=module', '--eval', imports], options)];
    for (const tool of TOOLS)
      outputs.push(await run(node, [path.join(root, 'node_modules', tool), '--version'], options));
    expect(outputs.map(({ stderr }) => stderr).join('')).toBe('');
  });

  test('npm start serves the API and pages, stores photos, and prints no warning', async (context) => {
    const folder = await requireNode(version, context);
    const product = launch({ npm: true, env: withNode(folder) });
    const url = await product.ready();

    // A provider signs up, verifies the e-mail address, and posts an ad with a photo.
    const api = createApiClient(url);
    const provider = await api.signUp('provider', { email: 'anna@example.com', displayName: 'Anna' });
    const uploaded = await upload(url, 'photos', [{ bytes: await pictures.withGps() }], provider.token);
    expect(uploaded.status).toBe(201);
    const [media] = uploaded.body['media'] as readonly { readonly url: string }[];
    const title = 'An evening by the lake';
    const ad = await api.postAd(provider.token, { title, photos: [media?.url] });
    await waitForReadModels(url);
    expect((await api.call('GET', '/api/ads?state=NV')).body['data']).toMatchObject([{ id: ad.id, title }]);
    for (const format of ['jpg', 'webp', 'avif']) {
      const variant = `${url}${media?.url.replace('1600.jpg', `640.${format}`) ?? ''}`;
      await eventually(async () => expect((await fetch(variant)).status, variant).toBe(200));
    }
    const bump = await api.call('POST', `/api/ads/${ad.id}/bump`, { token: provider.token });
    expect(bump.body).toMatchObject({ success: false, code: 'BUMP_COOLDOWN' });

    // The server renders the list. While a rendering process starts, pages may be sent without this.
    await eventually(async () => {
      const html = await (await fetch(`${url}/listings`, { headers: { accept: 'text/html' } })).text();
      expect(html).toMatch(/data-rendered-at=.*An evening by the lake/su);
    });
    // A visitor opens the ad and logs in.
    const visitor = await returningVisitor(await sharedBrowser(), url);
    const console = new ConsoleWatch(visitor);
    const page = await visitor.newPage();
    await page.goto('/listings');
    await page.getByRole('link', { name: new RegExp(title, 'u') }).click();
    await page.getByRole('heading', { name: new RegExp(title, 'u') }).waitFor();
    await page.goto('/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill(provider.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL((to) => to.pathname !== '/login');
    console.expectNoProblems();
    await visitor.close();

    const programs = process.platform === 'linux' ? runningPrograms(product.process.pid ?? 0) : [];
    const nodes = programs.filter((program) => path.basename(program) === 'node');
    expect([...new Set(nodes)]).toEqual(process.platform === 'linux' ? [realpathSync(path.join(folder, 'node'))] : []);
    signalGroup(product, 'SIGINT');
    expect(await product.ended()).toEqual({ code: 0, signal: null });
    const lines = product.stderr().split('\n');
    expect(
      lines.filter((line) => !/^(?: {2}[…✓] .*)?$/u.test(line)),
      'messages besides the progress',
    ).toEqual([]);
  });
});
