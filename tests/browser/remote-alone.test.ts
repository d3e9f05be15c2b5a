import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ModuleFederationPlugin } from '@module-federation/enhanced/rspack';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineRemote } from '../../shell/build/preset.mjs';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { startDevServer } from '../support/dev-server.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** A remote is developed without the shell: `npm run dev`. */
const NAME = 'mf-community';

const app = (heading: string) => `
export default function App({ host: { session } }) {
  const name = session.state === 'authenticated' ? session.user.userType : session.state;
  const kind = session.user?.id.startsWith('fake-') ? 'simulated' : 'real';
  return <div><h1>${heading}</h1><p>Visitor: {name}, {kind}</p></div>;
}`;

let browser: Browser;
let product: TestProduct;
let folder: string;
let server: Awaited<ReturnType<typeof startDevServer>>;

/** Replaces the file at once, as many editors do. Otherwise, a slow machine may compile a file that is half written. */
async function edit(heading: string): Promise<void> {
  const written = path.join(folder, 'written.tsx');
  await writeFile(written, app(heading));
  await rename(written, path.join(folder, NAME, 'src/App.tsx'));
}

beforeAll(async () => {
  // Below the checkout, so that the remote finds its packages.
  folder = await mkdtemp(path.resolve(import.meta.dirname, '../../.build/alone-'));
  await mkdir(path.join(folder, NAME, 'src'), { recursive: true });
  await edit('First');
  product = await startTestProduct({ isDemo: true });
  const define = defineRemote({
    dir: path.join(folder, NAME),
    federation: (options) => new ModuleFederationPlugin({ ...options, name: 'mf_community' }),
    apiUrl: product.url,
  });
  server = await startDevServer(define);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await server?.stop();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('the chosen visitor and a login by one click survive edits', async () => {
  const page = await (await returningVisitor(browser, server.url)).newPage();
  await page.goto(server.url);
  await page.getByText('Visitor: anonymous').waitFor();
  await page.getByRole('combobox', { name: 'Visitor' }).selectOption('provider');
  await page.getByText('Visitor: provider').waitFor();
  await edit('Second');
  await page.getByRole('heading', { name: 'Second' }).waitFor();
  await page.getByText('Visitor: provider').waitFor();

  const loggedIn = page.waitForResponse((response) => response.url().endsWith('/api/auth/login'));
  await page.getByRole('button', { name: 'Log in as client' }).click();
  expect((await loggedIn).status()).toBe(200);
  await page.getByText('Visitor: client, real').waitFor();
  await edit('Third');
  await page.getByRole('heading', { name: 'Third' }).waitFor();
  await page.getByText('Visitor: client, real').waitFor();
});
