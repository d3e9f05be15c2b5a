import type { Registry, RegistryEntry, RemoteName } from '@alpenglow/ui';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { sharedBrowser, withVisitor } from '../support/browser.ts';
import { hurryTimeLimits } from '../support/browser-faults.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Each remote × what can befall it on its way to the browser (design/front-end.md, "Composition"): it costs its own area only, and Retry
 * brings it back. What befalls it on the server's disk, and what a deployment does to open tabs, is in federation.test.ts.
 */
interface Area {
  readonly path: string;
  readonly heading: string;
  /** A link of the navigation bar, or what else leads there. */
  readonly goThere: (page: Page) => Promise<void>;
}
const byLink = (name: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();

const AREAS: Readonly<Record<RemoteName, Area>> = {
  'mf-listings': { path: '/listings', heading: 'Browse ads', goThere: byLink('Browse') },
  'mf-post-ad': {
    path: '/post-ad',
    heading: 'Post Your Ad',
    goThere: async (page) => {
      await page.goto('/pricing');
      await page.getByRole('main').getByRole('link', { name: 'Post Ad' }).click();
    },
  },
  'mf-community': { path: '/community', heading: 'Community', goThere: byLink('Community') },
  'mf-admin': { path: '/admin', heading: 'Overview', goThere: byLink('Admin Panel') },
};
const REMOTES = Object.keys(AREAS) as readonly RemoteName[];

const FAILED = 'This part of the site could not be loaded';
const UNFIT = 'This part of the site is being updated';

let product: TestProduct;
let browser: Browser;
let token: string;
beforeAll(async () => {
  product = await startTestProduct();
  // One who may go everywhere.
  token = (await apiClient(product.url).signUp('provider', { email: 'admin@example.com' })).token;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

interface Fault {
  readonly says: string;
  /** Returns how to mend it. */
  readonly inject: (page: Page, name: RemoteName) => Promise<() => Promise<void>>;
}

/** Lets a handler answer what matches until it is mended. */
const answering =
  (
    pattern: (name: RemoteName) => string,
    handler: (route: Route, name: RemoteName) => Promise<unknown>,
  ): Fault['inject'] =>
  async (page, name) => {
    const address = pattern(name);
    await page.route(address, (route) => handler(route, name).then(() => undefined));
    return () => page.unroute(address);
  };
const editingRegistry = (edit: (remotes: Registry['remotes'], entry: RegistryEntry) => Registry['remotes']) =>
  answering(
    () => '**/mf/registry.json',
    async (route, name) => {
      const response = await route.fetch();
      const { remotes } = (await response.json()) as Registry;
      const entry = remotes[name];
      if (!entry) throw new Error(`${name} is not deployed`);
      await route.fulfill({ response, json: { remotes: edit(remotes, entry) } });
    },
  );
const TAMPERED = "\n;document.documentElement.setAttribute('data-tampered', 'yes');";
const appending = async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, body: (await response.text()) + TAMPERED });
};

/** The first of them stands for all in a run that is not full. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'its entry gone': {
    says: FAILED,
    inject: answering(
      (name) => `**/mf/${name}/*/remote-entry.js`,
      (route) => route.fulfill({ status: 404, body: 'Not found' }),
    ),
  },
  'the registry down': {
    says: FAILED,
    inject: answering(
      () => '**/mf/registry.json',
      (route) => route.fulfill({ status: 503, body: 'busy' }),
    ),
  },
  'it missing from the registry': {
    says: FAILED,
    inject: editingRegistry((remotes, { name }) => ({ ...remotes, [name]: undefined })),
  },
  'no connection to it': {
    says: FAILED,
    inject: answering(
      (name) => `**/mf/${name}/**`,
      (route) => route.abort('connectionfailed'),
    ),
  },
  'it slower than 120 s': {
    says: FAILED,
    inject: answering(
      (name) => `**/mf/${name}/*/remote-entry.js`,
      () => Promise.resolve(),
    ),
  },
  'its entry tampered with': {
    says: FAILED,
    inject: answering((name) => `**/mf/${name}/*/remote-entry.js`, appending),
  },
  'its App tampered with': { says: FAILED, inject: answering((name) => `**/mf/${name}/*/app.*.js`, appending) },
  'another contract': {
    says: UNFIT,
    inject: editingRegistry((remotes, entry) => ({
      ...remotes,
      [entry.name]: { ...entry, contractVersion: entry.contractVersion + 1 },
    })),
  },
};

describe.concurrent.each(sampleOf(REMOTES, 1))('%s', (name) => {
  const area = AREAS[name];
  const other = AREAS[name === 'mf-community' ? 'mf-listings' : 'mf-community'];

  const withPage = (test: (page: Page) => Promise<void>) =>
    withVisitor(browser, product.url, { token }, async (context) => test(await context.newPage()));
  const heading = (page: Page, text: string) =>
    page.getByRole('main').getByRole('heading', { level: 1, name: text, exact: true });

  it('up', () =>
    withPage(async (page) => {
      await page.goto(area.path);
      await heading(page, area.heading).waitFor();
    }));

  it.each(sampleOf(Object.entries(FAULTS), 1))('with %s', (what, { says, inject }) =>
    withPage(async (page) => {
      // Time enough for what is not held up, on a busy machine too.
      if (what.includes('slow')) await hurryTimeLimits(page, 30_000);
      const mend = await inject(page, name);
      await Promise.all([
        page.goto(area.path),
        what.includes('slow') && page.getByRole('main').getByText('Loading Alpenglow…').waitFor(),
      ]);
      await page.getByRole('main').getByText(says).waitFor();
      expect(
        await page.locator('html').getAttribute('data-tampered'),
        'what was tampered with does not run',
      ).toBeNull();

      // The shell's own pages, and another remote, are none the worse.
      await page.getByRole('contentinfo').getByRole('link', { name: 'About' }).click();
      await heading(page, 'About').waitFor();
      if (what !== 'the registry down') {
        await other.goThere(page);
        await heading(page, other.heading).waitFor();
      }

      await page.goBack();
      if (what !== 'the registry down') await page.goBack();
      await page.getByRole('main').getByText(says).waitFor();
      await mend();
      await page.getByRole('main').getByRole('button', { name: 'Retry' }).click();
      await heading(page, area.heading).waitFor();
      await page.getByText(says).first().waitFor({ state: 'detached' });
    }),
  );
});
