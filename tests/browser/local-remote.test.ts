import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { requireSite, serveLocalRemote } from '../../shell/build/dev-in.mjs';
import { defineRemote } from '../../shell/build/preset.mjs';
import { localKeys } from '../../shell/build/signing.mjs';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { DeployedRemotes } from '../support/remotes.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** `npm run dev:in`: a remote of a development server in a deployed shell, for one browser (decision 0123). */
const NAME = 'mf-community';

const app = (heading: string) => `
import { useState } from 'react';
import { Link } from 'react-router-dom';
import styles from './app.module.css';
const late = () => import('./late.tsx');
export default function App({ host }) {
  const [text, setText] = useState('');
  return (
    <main className={styles['page']}>
      <h1>${heading}</h1>
      <button onClick={() => void late().then((module) => setText(module.text))}>Load</button>
      <p>{text} {host.locale}</p>
      <Link to="/community/new">Write</Link>
    </main>
  );
}`;

let browser: Browser;
let product: TestProduct;
let production: TestProduct;
let remotes: DeployedRemotes;
let folder: string;
let served: Awaited<ReturnType<typeof serveLocalRemote>>;

/** Replaces a file at once, as many editors do. */
async function put(file: string, code: string): Promise<void> {
  const written = path.join(folder, 'written.tsx');
  await writeFile(written, code);
  await rename(written, path.join(folder, NAME, 'src', file));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(await realpath(os.tmpdir()), 'alpenglow-local-'));
  await mkdir(path.join(folder, NAME, 'src'), { recursive: true });
  await put('App.tsx', app('First'));
  await put('late.tsx', "export const text = 'loaded late';");
  await put('app.module.css', '.page { outline: 3px solid rgb(1, 2, 3) }');
  remotes = await DeployedRemotes.create();
  product = await startTestProduct({ mfDir: remotes.mfDir, localRemotes: true });
  production = await startTestProduct({ mfDir: remotes.mfDir });
  const port = await findFreePort();
  const define = defineRemote({
    dir: path.join(folder, NAME),
    port,
    federation: (options) =>
      new ModuleFederationPlugin({
        ...options,
        name: 'mf_community',
        exposes: { './App': { import: ['./src/App.tsx'], name: 'app' } },
      }),
  });
  const site = await requireSite(product.url);
  served = await serveLocalRemote({ name: NAME, define, site, privateKey: localKeys(remotes.mfDir).privateKey });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await served?.stop();
  await product?.stop();
  await production?.stop();
  await remotes?.remove();
  await rm(folder, { recursive: true, force: true });
});

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

it('a link shows the remote of a development server in the deployed shell, to one browser', async () => {
  const page = await (await returningVisitor(browser, product.url)).newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(served.link);
  await page.goto('/community');
  await heading(page, 'First');
  await page.getByRole('button', { name: 'Load' }).click();
  await page.getByText('loaded late en').waitFor();
  const outline = () => page.locator('main main').evaluate((element) => getComputedStyle(element).outlineColor);
  expect(await outline(), 'with its styles').toBe('rgb(1, 2, 3)');
  const mark = page.getByRole('complementary', { name: 'Preview' });
  await mark.getByText(/^mf-community: from http:\/\/localhost:\d+$/u).waitFor();

  // Another browser gets the live build, also at the same time.
  const other = await (await returningVisitor(browser, product.url)).newPage();
  const response = await other.goto('/community');
  await heading(other, 'Community');
  expect(response?.headers()['content-security-policy']).not.toContain('localhost');
  await other.context().close();

  // An edit reloads the page.
  await put('App.tsx', app('Second'));
  await heading(page, 'Second');

  // Other remotes are those of the site.
  await page.getByRole('link', { name: 'About' }).click();
  await heading(page, 'About');
  expect(problems).toEqual([]);

  await mark.getByRole('link', { name: 'Leave the preview' }).click();
  await page.goto('/community');
  await heading(page, 'Community');
  await page.context().close();
});

it('a stopped development server affects only the area of its remote', async () => {
  const page = await (await returningVisitor(browser, product.url)).newPage();
  await page.goto(served.link);
  await page.route(/^http:\/\/localhost:/u, (route) => route.abort());
  await page.goto('/community');
  await page.getByRole('main').getByText('This part of the site could not be loaded').waitFor();
  await page.getByRole('link', { name: 'About' }).click();
  await heading(page, 'About');
  await page.context().close();
});

it('a site without the setting has no such link', async () => {
  await expect(requireSite(production.url)).rejects.toThrow('does not accept local remotes');
  const link = new URL(new URL(served.link).pathname, production.url);
  const response = await fetch(link, { headers: { accept: 'text/html' } });
  expect([response.status, response.headers.getSetCookie()]).toEqual([404, []]);
  const cookie = `alpenglow_preview=${link.pathname.split('/').at(-1) ?? ''}`;
  const page = await fetch(new URL('/community', production.url), { headers: { accept: 'text/html', cookie } });
  expect(await page.text()).not.toContain('localhost:');
  expect(page.headers.get('content-security-policy')).not.toContain('localhost');
});
