import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, type VisitorOptions } from '../support/browser.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { startDeployedSite, type DeployedSite } from '../support/deployed-site.ts';
import { headingOf } from '../support/screens.ts';

/** The service worker shows the offline page with the favorites of this device, and affects nothing else. */
let api: ApiClient;
let site: DeployedSite;
let context: BrowserContext;
let adId: string;

beforeAll(async () => {
  site = await startDeployedSite();
  api = apiClient(site.product.url);
  const { token } = await api.signUp('provider');
  ({ id: adId } = await api.postAd(token, { name: 'Anna', title: 'Reading by the lake' }));
  await waitForRead(api);
});
afterAll(() => site?.stop());
afterEach(() => context?.close());

/** Opens a page, and waits until the service worker handles the next navigation. */
async function open(path: string, options: VisitorOptions = {}): Promise<Page> {
  context = await openVisitor(site.browser, site.product.url, { hasServiceWorker: true, ...options });
  const page = await context.newPage();
  await page.goto(path);
  await headingOf(page).first().waitFor();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  return page;
}

const clientCards = (page: Page) => page.evaluate(() => localStorage.getItem('favorites-cards:client'));

it('without a connection, a page in the language of the visitor lists the favorites of a guest', async () => {
  const page = await open('/listings', { locale: 'de' });
  await main(page).getByRole('button', { name: /Anna/u }).click();
  await expect.poll(() => page.evaluate(() => localStorage.getItem('favorites-cards:guest'))).toContain(adId);

  await context.setOffline(true);
  await page.goto('/de/community');
  await page.getByRole('heading', { level: 1, name: 'Keine Verbindung' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  const favorites = page.getByRole('listitem');
  expect(await favorites.allTextContents()).toEqual(['Anna, 30Reading by the lake · Las Vegas, NV']);
  await page.getByText('kann veraltet sein').waitFor();
  expect(await page.getByRole('img').count()).toBe(0);

  // The page is loaded again as soon as there is a connection.
  await page.getByRole('link', { name: 'Erneut versuchen' }).waitFor();
  await context.setOffline(false);
  await page.getByRole('banner').getByRole('link', { name: 'Anmelden' }).waitFor();
  expect(page.url()).toBe(`${site.product.url}/de/community`);
});

it('the favorites of a client are available without a connection until the logout', async () => {
  const { token } = await api.signUp('client');
  await api.call('POST', '/api/favorites', { token, body: { adId } });
  await waitForRead(api);
  const page = await open('/favorites', { token });
  await expect.poll(() => clientCards(page)).toContain(adId);
  await context.setOffline(true);
  await page.goto('/listings');
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Reading by the lake' }).waitFor();

  await context.setOffline(false);
  // The page without a connection loads the requested page again by itself, which can abort this navigation.
  await expect.poll(() => page.goto('/about').catch(() => null)).not.toBeNull();
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).waitFor();
  expect(await clientCards(page)).toBeNull();
});

it('a deployment of a remote is used at once while the service worker is active', async () => {
  await site.remotes.deploy('mf-community', 'first');
  const page = await open('/community');
  const mark = () => page.locator('html').getAttribute('data-mf-community');
  await expect.poll(mark).toBe('first');
  await site.remotes.deploy('mf-community', 'second');
  await page.reload();
  await expect.poll(mark).toBe('second');
  expect(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toMatch(/\/service-worker\.js$/u);
  // The worker stores nothing but the offline page.
  const stored = await page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
  expect(stored).toEqual(['/offline']);
});

it('the service worker is not registered before the visitor has confirmed the age', async () => {
  context = await openVisitor(site.browser, site.product.url, { hasServiceWorker: true, hasPassedGates: false });
  const page = await context.newPage();
  await page.goto('/about');
  await page.getByRole('button', { name: 'I am 18+ — Enter' }).waitFor();
  const registrations = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  expect(await registrations()).toBe(0);
  await page.getByRole('button', { name: 'I am 18+ — Enter' }).click();
  await expect.poll(registrations).toBe(1);
});
