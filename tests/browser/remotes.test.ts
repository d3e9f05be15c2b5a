import type { Registry, RegistryEntry, RemoteName } from '@alpenglow/ui';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { sharedBrowser, withVisitor } from '../support/browser.ts';
import { shortenTimeLimits } from '../support/browser-failures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * The area of a remote (micro-frontend) in the page. Each remote is tested with each failure between the server and the
 * browser (F-6). A failure affects only this area, and the Retry button restores the area. Changed files on the server
 * and deployments with open tabs are tested in federation.test.ts.
 */
interface Area {
  readonly path: string;
  readonly heading: string;
  readonly isServerRendered?: true;
  /** Opens the area of the remote from another page, usually by a link of the navigation bar. */
  readonly open: (page: Page) => Promise<void>;
}
const byLink = (name: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();

type TestedRemote = 'mf-listings' | 'mf-post-ad' | 'mf-community' | 'mf-admin';
const AREAS: Readonly<Record<TestedRemote, Area>> = {
  'mf-listings': { path: '/listings', heading: 'Browse ads', isServerRendered: true, open: byLink('Browse') },
  'mf-post-ad': {
    path: '/post-ad',
    heading: 'Post Your Ad',
    open: async (page) => {
      await page.goto('/pricing');
      await page.getByRole('main').getByRole('link', { name: 'Post Ad' }).click();
    },
  },
  'mf-community': { path: '/community', heading: 'Community', isServerRendered: true, open: byLink('Community') },
  'mf-admin': { path: '/admin', heading: 'Overview', open: byLink('Admin Panel') },
};
const REMOTES = Object.keys(AREAS) as readonly TestedRemote[];

const FAILED = 'This part of the site could not be loaded';
const INCOMPATIBLE = 'This part of the site is being updated';

let product: TestProduct;
let browser: Browser;
let token: string;
beforeAll(async () => {
  product = await startTestProduct();
  // This e-mail address makes the provider an admin, so the account has access to all areas.
  token = (await apiClient(product.url).signUp('provider', { email: 'admin@example.com' })).token;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

interface Failure {
  readonly message: string;
  /** Injects the failure. Returns a function that removes the failure. */
  readonly inject: (page: Page, name: RemoteName) => Promise<() => Promise<void>>;
}

/** Injects a handler for matching requests. The returned function removes the handler. */
const injectHandler =
  (
    pattern: (name: RemoteName) => string,
    handler: (route: Route, name: RemoteName) => Promise<unknown>,
  ): Failure['inject'] =>
  async (page, name) => {
    const address = pattern(name);
    await page.route(address, (route) => handler(route, name).then(() => undefined));
    // A request may still be in the handler, which would then fail outside of the test.
    return () => page.unrouteAll({ behavior: 'ignoreErrors' });
  };
const editingRegistry = (edit: (remotes: Registry['remotes'], entry: RegistryEntry) => Registry['remotes']) =>
  injectHandler(
    () => '**/mf/registry.json',
    async (route, name) => {
      const response = await route.fetch();
      const registry = (await response.json()) as Registry;
      const entry = registry.remotes[name];
      if (!entry) throw new Error(`${name} is not deployed`);
      await route.fulfill({ response, json: { ...registry, remotes: edit(registry.remotes, entry) } });
    },
  );
const TAMPERED = "\n;document.documentElement.setAttribute('data-tampered', 'yes');";
const appendToScript = async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, body: (await response.text()) + TAMPERED });
};

/** Failures by name. `npm test` uses only the first failure, and `npm run test:all` uses all of them. */
const FAILURES: Readonly<Record<string, Failure>> = {
  'its entry missing': {
    message: FAILED,
    inject: injectHandler(
      (name) => `**/mf/${name}/*/remote-entry.js`,
      (route) => route.fulfill({ status: 404, body: 'Not found' }),
    ),
  },
  'the registry down': {
    message: FAILED,
    inject: injectHandler(
      () => '**/mf/registry.json',
      (route) => route.fulfill({ status: 503, body: 'busy' }),
    ),
  },
  'it missing from the registry': {
    message: FAILED,
    inject: editingRegistry((remotes, { name }) => ({ ...remotes, [name]: undefined })),
  },
  'no connection to it': {
    message: FAILED,
    inject: injectHandler(
      (name) => `**/mf/${name}/**`,
      (route) => route.abort('connectionfailed'),
    ),
  },
  'it slower than 120 s': {
    message: FAILED,
    inject: injectHandler(
      (name) => `**/mf/${name}/*/remote-entry.js`,
      () => Promise.resolve(),
    ),
  },
  'its entry tampered with': {
    message: FAILED,
    inject: injectHandler((name) => `**/mf/${name}/*/remote-entry.js`, appendToScript),
  },
  'its App changed': { message: FAILED, inject: injectHandler((name) => `**/mf/${name}/*/app.*.js`, appendToScript) },
  'another contract': {
    message: INCOMPATIBLE,
    inject: editingRegistry((remotes, entry) => ({
      ...remotes,
      [entry.name]: { ...entry, contract: '>6', fits: false },
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

  it('works without failures', () =>
    withPage(async (page) => {
      await page.goto(area.path);
      await heading(page, area.heading).waitFor();
    }));

  it.each(sampleOf(Object.entries(FAILURES), 1))(
    'is contained and recoverable with %s',
    (failure, { message, inject }) =>
      withPage(async (page) => {
        // The shortened time limit still leaves all other requests enough time on a busy machine.
        if (failure.includes('slow')) await shortenTimeLimits(page, 30_000);
        const mend = await inject(page, name);
        await Promise.all([
          page.goto(area.path),
          // The server-rendered HTML stays visible meanwhile.
          failure.includes('slow') &&
            (area.isServerRendered
              ? heading(page, area.heading)
              : page.getByRole('main').getByText('Loading Alpenglow…')
            ).waitFor(),
        ]);
        await page.getByRole('main').getByText(message).waitFor();
        expect(await page.locator('html').getAttribute('data-tampered'), 'the changed script does not run').toBeNull();

        // The pages of the shell and another remote still work.
        await page.getByRole('contentinfo').getByRole('link', { name: 'About' }).click();
        await heading(page, 'About').waitFor();
        if (failure !== 'the registry down') {
          await other.open(page);
          await heading(page, other.heading).waitFor();
        }

        await page.goBack();
        if (failure !== 'the registry down') await page.goBack();
        await page.getByRole('main').getByText(message).waitFor();
        await mend();
        // An automatic retry may already have loaded the remote, so the button is only clicked if it is still there.
        await page
          .getByRole('main')
          .getByRole('button', { name: 'Retry' })
          .evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
        await heading(page, area.heading).waitFor();
        await page.getByText(message).first().waitFor({ state: 'detached' });
      }),
  );
});
