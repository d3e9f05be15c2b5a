import type { ResponseOf } from '@alpenglow/domain';
import type { Registry } from '@alpenglow/ui';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, sharedBrowser, withVisitor } from '../support/browser.ts';
import { waitForRead } from '../support/browser-community.ts';
import { injectFailure, respondWith } from '../support/browser-failures.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Errors of pages: what a visitor sees, and what the browser reports. */
let product: TestProduct;
let api: ApiClient;
let browser: Browser;
const adIds: string[] = [];
let adminToken: string;
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  for (const title of ['A walk by the river', 'An evening by the lake'])
    adIds.push((await api.postAd((await api.signUp('provider')).token, { title })).id);
  await waitForRead(api);
  ({ token: adminToken } = await api.signUp('client', { email: 'admin@example.com' }));
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const main = (page: Page) => page.getByRole('main');
const navigation = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const statistics = async () =>
  ((await api.call('GET', '/api/front-ends/statistics')).body as unknown as ResponseOf<'getFrontEndStatistics'>).data
    .deployments;
const errorsOf = async (frontEnd: string) =>
  (await statistics()).flatMap((one) => (one.frontEnd === frontEnd ? one.errors.map(({ kind }) => kind) : []));
const poll = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: MAX_WAIT_ms });

declare global {
  /** The kinds of performance entries that the page observes. */
  var measuredTypes: string[] | undefined;
}

/** An ad without most of its data. The code of the pages throws an English error that it can be recognized by. */
const BROKEN_LIST = respondWith(200, { success: true, data: [{ id: 'half an ad' }], nextCursor: null });

test('after an error, another page of the same remote opens, and the report names only the deployment', () =>
  withVisitor(browser, product.url, { locale: 'de' }, async (context) => {
    const page = await context.newPage();
    await page.goto('/de/community');
    await main(page).getByRole('heading', { level: 1 }).waitFor();
    await injectFailure(page, 'GET /api/ads', BROKEN_LIST);
    const reported = page.waitForResponse(
      (response) =>
        response.url().endsWith('/api/front-ends/reports') && 'x-request-id' in response.request().headers(),
    );
    await page.getByRole('navigation').getByRole('link', { name: 'Inserate', exact: true }).first().click();
    const alert = main(page).getByRole('alert');
    await alert.getByText('Beim Anzeigen dieser Seite ist ein Fehler aufgetreten').waitFor();
    expect(await alert.innerText(), 'the text of the error is not shown').not.toMatch(/undefined|cannot read/iu);
    const reference = /Referenz: ([0-9a-f]{24})/u.exec(await alert.innerText())?.[1];
    expect((await (await reported).request().allHeaders())['x-request-id']).toBe(reference);

    await page.evaluate(() => document.documentElement.setAttribute('data-same-page', 'yes'));
    await page.evaluate((id) => {
      history.pushState({ key: id }, '', `/de/ad/${id}`);
      dispatchEvent(new PopStateEvent('popstate', { state: {} }));
    }, adIds[0] ?? '');
    await main(page).getByRole('heading', { level: 1, name: 'A walk by the river' }).waitFor();
    expect(await page.locator('html').getAttribute('data-same-page')).toBe('yes');

    const registry = (await (await fetch(`${product.url}/mf/registry.json`)).json()) as Registry;
    await poll(
      async () => (await statistics()).find(({ hash }) => hash === registry.remotes['mf-listings']?.hash)?.errors,
    ).toEqual([{ kind: 'render', count: 1 }]);
  }));

test('staff see the text of the error', () =>
  withVisitor(browser, product.url, { token: adminToken }, async (context) => {
    const page = await context.newPage();
    await page.goto('/community');
    await page.getByRole('button', { name: 'Logout' }).first().waitFor();
    await injectFailure(page, 'GET /api/ads', BROKEN_LIST);
    await navigation(page, 'Browse').first().click();
    await main(page).getByRole('alert').getByText('undefined').waitFor();
  }));

test('after an error of a page that is loaded late, the same page opens with other data', () =>
  withVisitor(browser, product.url, {}, async (context) => {
    const page = await context.newPage();
    await page.goto('/community');
    await main(page).getByRole('heading', { level: 1 }).waitFor();
    const [broken = '', other = ''] = adIds;
    await injectFailure(page, `GET /api/ads/${broken}`, respondWith(200, { success: true, data: { id: broken } }));
    const open = (id: string) =>
      page.evaluate((path) => {
        history.pushState({ key: path }, '', path);
        dispatchEvent(new PopStateEvent('popstate', { state: {} }));
      }, `/ad/${id}`);
    await open(broken);
    await main(page).getByText('Something went wrong while this page was being shown').waitFor();
    await open(other);
    await main(page).getByRole('heading', { level: 1, name: 'An evening by the lake' }).waitFor();
    await navigation(page, 'Community').waitFor();
  }));

test('unhandled errors and speed are reported after the visitor has agreed, and never before', async () => {
  const context = await openVisitor(browser, product.url);
  const page = await context.newPage();
  /** Rejects a promise as code of the shell would do. The text of the error must not be sent. */
  const reject = () =>
    page.evaluate(() => {
      const error = new Error('anna@example.com');
      error.stack = `Error: anna@example.com\n    at load (${location.origin}/assets/shell.js:1:1)`;
      void Promise.reject(error);
    });
  const bodies: string[] = [];
  await page.exposeFunction('recordBeacon', (body: string) => bodies.push(body));
  await page.addInitScript(() => {
    const send = navigator.sendBeacon.bind(navigator);
    navigator.sendBeacon = (url, data) => {
      if (data instanceof Blob)
        void data
          .text()
          .then((text) => (globalThis as unknown as { recordBeacon(t: string): void }).recordBeacon(text));
      return send(url, data);
    };
    // The code that measures the speed is loaded late. It has begun when it observes shifts of the layout.
    const observe = Reflect.get(PerformanceObserver.prototype, 'observe');
    PerformanceObserver.prototype.observe = function (options) {
      Reflect.apply(observe, this, [options]);
      (globalThis.measuredTypes ??= []).push(options?.type ?? '');
    };
  });
  await page.goto('/privacy');
  await main(page).getByRole('heading', { level: 1, name: 'Privacy' }).waitFor();
  await reject();
  await page.waitForTimeout(500);
  expect(bodies).toEqual([]);

  await main(page).getByRole('button', { name: 'Change my choice' }).click();
  await page.getByRole('region', { name: 'Cookies' }).getByRole('button', { name: 'Accept all' }).click();
  await reject();
  await poll(() => errorsOf('shell')).toEqual(['rejection']);
  const expected = { frontEnd: 'shell', hash: expect.stringMatching(/^[0-9a-f]{16}$/u) as string, kind: 'rejection' };
  await expect.poll(() => bodies.map((body) => JSON.parse(body) as unknown)).toEqual([{ errors: [expected] }]);

  await page.waitForFunction(() => globalThis.measuredTypes?.includes('layout-shift'));
  await page.goto('about:blank');
  await poll(async () =>
    (await statistics()).flatMap(({ frontEnd, vitals }) =>
      frontEnd === 'shell' ? vitals.map(({ vital }) => vital).filter((vital) => vital !== 'inp') : [],
    ),
  ).toEqual(['lcp', 'cls']);
  await context.close();
});

test('a part of an ad that cannot be loaded shows a message in its place, and is loaded by Retry', async () => {
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, { title: 'A quiet place' });
  await waitForRead(api);
  const renderErrors = async () => (await errorsOf('mf-listings')).filter((kind) => kind === 'render').length;
  const before = await renderErrors();
  await withVisitor(browser, product.url, { token, locale: 'de' }, async (context) => {
    const page = await context.newPage();
    await page.route(/\/owner-panel\.\w+\.js$/u, (route) => route.abort());
    await page.goto(`/de/ad/${id}`);
    const alert = main(page).getByRole('alert');
    await alert.getByText('Dieser Teil konnte nicht geladen werden').waitFor();
    await main(page).getByRole('heading', { level: 1, name: 'A quiet place' }).waitFor();
    await poll(() => errorsOf('mf-listings')).toContain('chunk');
    await page.unroute(/\/owner-panel\.\w+\.js$/u);
    await alert.getByRole('button', { name: 'Erneut versuchen' }).click();
    // The texts of the part are loaded with it.
    await main(page).getByRole('heading', { name: 'Das ist Ihr Inserat' }).waitFor();
  });
  expect(await renderErrors(), 'a lost file is no error of the code').toBe(before);
});
