import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import type { ModuleFederationRuntimePlugin } from '@module-federation/runtime';
import type { Browser, Page } from 'playwright-core';
import { version as reactVersion } from 'react';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineRemote } from '../../shell/build/preset.mjs';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { startDevServer } from '../support/dev-server.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** A remote is developed inside of the shell: `npm run dev:shell` (F-14). It replaces the deployed `mf-community`. */
const NAME = 'mf-community';

const app = (body: string, before = '') => `
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { Extra, label } from './extra.tsx';
${before}
export default function App({ host }) {
  const [count, setCount] = useState(0);
  ${body}
}`;
const content = (heading: string, more = '') => `return (
    <main>
      <h1>${heading}</h1>
      <button onClick={() => setCount(count + 1)}>{label + ' ' + count}</button>
      <Extra />
      <Link to="/community/new">Write</Link>
      ${more}
    </main>
  );`;
const extra = (text: string, label = 'Clicks') => `
export const label = '${label}';
export function Extra() {
  return <p>${text}</p>;
}`;

/** Frequent kinds of edits, and the text that shows that the page has the edit. */
const EDITS: readonly (readonly [edit: string, file: 'App.tsx' | 'extra.tsx', code: string, shown: string])[] = [
  ['a text', 'App.tsx', app(content('Second')), 'Second'],
  ['an element', 'App.tsx', app(content('Second', '<p>Added</p>')), 'Added'],
  ['an attribute', 'App.tsx', app(content('Second', '<p title="t">Titled</p>')), 'Titled'],
  ['a link of the router', 'App.tsx', app(content('Second', '<Link to="/blog">To the blog</Link>')), 'To the blog'],
  ['a value of the host', 'App.tsx', app(content('Second', '<p>{"Language " + host.locale}</p>')), 'Language en'],
  [
    'a function',
    'App.tsx',
    app(content('Second', '<p>{twice("ab")}</p>'), 'const twice = (text) => text + text;'),
    'abab',
  ],
  [
    'a component of the same file',
    'App.tsx',
    app(content('Second', '<New />'), 'const New = () => <p>New</p>;'),
    'New',
  ],
  ['a component of another file', 'extra.tsx', extra('Changed'), 'Changed'],
  ['the text of a component of another file', 'extra.tsx', extra('Changed again'), 'Changed again'],
  ['an effect', 'App.tsx', app(`useEffect(() => { document.title = 'Edited'; }); ${content('Third')}`), 'Third'],
];

let browser: Browser;
let product: TestProduct;
let folder: string;
let server: Awaited<ReturnType<typeof startDevServer>>;
let url: string;

/** Returns the address of the manifest of the remote under development. */
const developedManifest = () => `${url}/mf/under-development/current/mf-manifest.json`;

/** Replaces a file at once, as many editors do. Otherwise, a slow machine may compile a file that is half written. */
async function put(file: string, code: string): Promise<void> {
  const written = path.join(folder, 'written.tsx');
  await writeFile(written, code);
  await rename(written, path.join(folder, NAME, 'src', file));
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(await realpath(os.tmpdir()), 'alpenglow-developed-'));
  await mkdir(path.join(folder, NAME, 'src'), { recursive: true });
  await writeFile(path.join(folder, NAME, 'package.json'), '{}');
  await put('App.tsx', app(content('First')));
  await put('extra.tsx', extra('Extra'));
  product = await startTestProduct();
  const define = defineRemote({
    dir: path.join(folder, NAME),
    federation: (options) =>
      new ModuleFederationPlugin({
        ...options,
        name: 'mf_community',
        exposes: { './App': { import: ['./src/App.tsx'], name: 'app' } },
      }),
    apiUrl: product.url,
  });
  server = await startDevServer(define, { shell: true });
  url = server.url;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await server?.stop();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('the state of React survives at least 9 of 10 edits, and other remotes come from the running product', async () => {
  const page = await (await returningVisitor(browser, url)).newPage();
  await page.goto(`${url}/community`);
  await page.getByRole('heading', { level: 1, name: 'First' }).waitFor();
  const survived: string[] = [];
  for (const [edit, file, code, shown] of EDITS) {
    const before = await page.getByRole('button', { name: 'Clicks' }).textContent();
    await page.getByRole('button', { name: 'Clicks' }).click();
    const count = Number(before?.split(' ').at(-1)) + 1;
    await put(file, code);
    await page.getByText(shown, { exact: true }).waitFor();
    const text = await page.getByRole('button', { name: 'Clicks' }).textContent();
    if (text === `Clicks ${count}`) survived.push(edit);
  }
  expect(survived.length, survived.join(', ')).toBeGreaterThanOrEqual(9);
  // An edit that uses a module of the shell for the first time needs a reload of the page.
  const query = "import { useQueryClient } from '@tanstack/react-query';";
  await put('App.tsx', query + app(`useQueryClient(); ${content('Loaded again')}`));
  await expect
    .poll(async () => {
      await page.reload();
      return page.getByRole('heading', { level: 1 }).textContent();
    })
    .toBe('Loaded again');
  await page.getByRole('link', { name: 'Browse' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Browse ads' }).waitFor();
});

/** Returns the values of the page that the browser extension of Module Federation shows, in the way it finds them. */
const readFederation = (page: Page) =>
  page.evaluate(() => {
    const { moduleInfo, __SHARE__: scopes } = globalThis.__FEDERATION__;
    const { remotesInfo } = moduleInfo['shell'] as { remotesInfo: Record<string, { matchedVersion: string }> };
    const remotes = Object.entries(remotesInfo).map(([name, { matchedVersion: entry }]) => {
      const { modules } = moduleInfo[`${name}:${entry}`] as { modules: { modulePath: string }[] };
      return { name, entry, exposes: modules.map((module) => module.modulePath) };
    });
    const react = Object.values(scopes).flatMap((scope) => Object.values(scope['default']?.['react'] ?? {}));
    return { remotes, react: react.map(({ version, from, useIn }) => ({ version, from, useIn })) };
  });

/** Returns the address of the manifest with which the running product has deployed a remote. */
async function deployedManifest(name: string): Promise<string> {
  const { remotes } = (await (await fetch(`${url}/mf/registry.json`)).json()) as {
    remotes: Record<string, { hash: string }>;
  };
  return `${url}/mf/${name}/${remotes[name]?.hash}/mf-manifest.json`;
}

it('the browser extension of Module Federation finds the remotes that the page has loaded', async () => {
  const page = await (await returningVisitor(browser, url)).newPage();
  await page.goto(`${url}/community`);
  await page.getByRole('button', { name: 'Clicks' }).waitFor();
  await page.getByRole('link', { name: 'Browse' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Browse ads' }).waitFor();
  expect(await readFederation(page)).toEqual({
    remotes: [
      { name: 'mf_community', entry: developedManifest(), exposes: ['./App'] },
      { name: 'mf_listings', entry: await deployedManifest('mf-listings'), exposes: ['./App'] },
    ],
    react: [{ version: reactVersion, from: 'shell', useIn: ['shell', 'mf_community', 'mf_listings'] }],
  });
});

it('the browser extension replaces a remote by another manifest', async () => {
  const context = await returningVisitor(browser, url);
  // The extension registers its plugin in this way, before the scripts of the page run.
  await context.addInitScript(
    (entry) => {
      const plugin: ModuleFederationRuntimePlugin = {
        name: 'replace-remote',
        beforeRegisterRemote(args) {
          if (args.remote.name === 'mf_community') Object.assign(args.remote, { entry });
          return args;
        },
      };
      Object.defineProperty(globalThis, '__FEDERATION__', { value: { __GLOBAL_PLUGIN__: [plugin] }, writable: true });
    },
    await deployedManifest(NAME),
  );
  const page = await context.newPage();
  await page.goto(`${url}/community`);
  await page.getByRole('heading', { level: 1, name: 'Community' }).waitFor();
});

it('pages of other development servers may load the remote, and other sites may not', async () => {
  const allowedFor = async (origin: string) =>
    (await fetch(developedManifest(), { headers: { origin } })).headers.get('access-control-allow-origin');
  expect(await allowedFor('http://localhost:8091')).toBe('http://localhost:8091');
  expect(await allowedFor('https://localhost.example')).toBeNull();
  expect(await allowedFor('http://localhost:8091.example')).toBeNull();
});
