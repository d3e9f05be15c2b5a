import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { sharedBrowser, trackLiveChannel, withVisitor } from '../support/browser.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { waitForReadModels } from '../support/threads.ts';

/** The notice of a list about live messages, and the requests that live messages cause. */
let product: TestProduct;
let api: ApiClient;
let browser: Browser;
let providers: readonly string[];
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  providers = (await Promise.all(Array.from({ length: 8 }, () => api.signUp('provider')))).map(({ token }) => token);
  await postAds(0, 1);
  await waitForReadModels(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function postAds(from: number, to: number): Promise<void> {
  for (const token of providers.slice(from, to)) await api.postAd(token, { title: 'A walk by the river' });
}

/** Posts the ad of a new provider, and waits until lists contain it. */
async function postShownAd(title: string): Promise<{ readonly id: string; readonly token: string }> {
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, { title });
  await waitForReadModels(product.url);
  return { id, token };
}

declare global {
  /** The number of times that the component `App` of the remote was rendered with new properties. */
  var remoteRenders: number | undefined;
}

/** Counts the renders of the remote's `App`. React calls this hook, which is meant for its developer tools. */
async function countRemoteRenders(page: Page): Promise<void> {
  await page.addInitScript(() => {
    interface Fiber {
      readonly memoizedProps: unknown;
      readonly child: Fiber | null;
      readonly sibling: Fiber | null;
    }
    const findApp = (fiber: Fiber | null): object | null => {
      for (let one = fiber; one; one = one.sibling) {
        const props = one.memoizedProps;
        if (typeof props === 'object' && props !== null && 'basePath' in props && 'host' in props) return props;
        const found = findApp(one.child);
        if (found) return found;
      }
      return null;
    };
    let last: object | null = null;
    globalThis.remoteRenders = 0;
    Object.assign(globalThis, {
      __REACT_DEVTOOLS_GLOBAL_HOOK__: {
        supportsFiber: true,
        isDisabled: false,
        renderers: new Map(),
        checkDCE: () => undefined,
        inject: () => 1,
        onCommitFiberUnmount: () => undefined,
        onPostCommitFiberRoot: () => undefined,
        onScheduleFiberRoot: () => undefined,
        onCommitFiberRoot(_id: number, root: { readonly current: Fiber }) {
          const props = findApp(root.current);
          if (props === null || props === last) return;
          last = props;
          globalThis.remoteRenders = (globalThis.remoteRenders ?? 0) + 1;
        },
      },
    });
  });
}

const renders = (page: Page) => page.evaluate(() => globalThis.remoteRenders);
const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' });

test('one button above a list counts live events, renders no remote again, and can be muted', () =>
  withVisitor(browser, product.url, {}, async (context) => {
    const page = await context.newPage();
    await countRemoteRenders(page);
    const untilLive = await trackLiveChannel(page);
    await page.goto('/listings');
    await page.getByRole('main').getByText('A walk by the river').first().waitFor();
    await untilLive();
    const before = await renders(page);
    expect(before, 'the hook finds the App of the remote').toBeGreaterThan(0);

    await postAds(1, 2);
    await page.getByRole('button', { name: 'New ad posted!' }).waitFor();
    await postAds(2, 4);
    // On a busy machine, the first event may be forgotten already.
    const button = page.getByRole('button', { name: /^[23] new ads$/u });
    await button.waitFor();
    expect(await toasts(page).innerText(), 'there is no toast').toBe('');
    expect(await renders(page)).toBe(before);
    const [notice, card] = await Promise.all([
      button.boundingBox(),
      page.locator('main article').first().boundingBox(),
    ]);
    expect((notice?.y ?? 0) + (notice?.height ?? 0), 'it is above the cards').toBeLessThanOrEqual(card?.y ?? 0);
    await button.click();
    await expect.poll(() => button.count()).toBe(0);

    const setChoice = async (choice: 'Off' | 'On') => {
      await page.getByRole('button', { name: 'Language and appearance' }).click();
      await page.getByRole('group', { name: 'Live notices' }).getByRole('button', { name: choice }).click();
    };
    await setChoice('Off');
    await postAds(4, 5);
    await page.getByRole('main').getByText('5 ads').first().waitFor();
    expect(await page.getByRole('button', { name: 'New ad posted!' }).count()).toBe(0);

    // The choice is remembered, and can be changed.
    await page.reload();
    await page.getByRole('button', { name: 'Language and appearance' }).click();
    const choice = page.getByRole('group', { name: 'Live notices' });
    expect(await choice.getByRole('button', { name: 'Off' }).getAttribute('aria-pressed')).toBe('true');
    await choice.getByRole('button', { name: 'On' }).click();
    await untilLive();
    await postAds(5, 6);
    await page.getByRole('button', { name: 'New ad posted!' }).waitFor();
  }));

test('events of favorites are shown above the cards, and not as toasts', () =>
  withVisitor(browser, product.url, {}, async (context) => {
    const { id, token } = await postShownAd('A walk in the woods');
    const page = await context.newPage();
    const untilLive = await trackLiveChannel(page);
    await page.goto('/listings');
    const card = page.getByRole('main').getByRole('article').filter({ hasText: 'A walk in the woods' });
    await card.getByRole('button', { name: /favorite/iu }).click();
    await page.goto('/favorites');
    await card.waitFor();
    await untilLive();
    await api.call('PUT', `/api/ads/${id}`, { token, body: { title: 'A walk in the hills' } });
    const notice = page.getByRole('main').getByText('Ad updated!');
    await notice.waitFor();
    const [shown, first] = await Promise.all([
      notice.boundingBox(),
      page.getByRole('main').getByRole('article').first().boundingBox(),
    ]);
    expect((shown?.y ?? Number.NaN) + (shown?.height ?? 0)).toBeLessThanOrEqual(first?.y ?? 0);
    expect(await toasts(page).innerText()).toBe('');
    await api.call('DELETE', `/api/ads/${id}`, { token });
    await page.getByRole('main').getByText('2 updates · Ad removed!').waitFor();
  }));

test('a guest who leaves the list at once still sees the card of the new favorite', () =>
  withVisitor(browser, product.url, {}, async (context) => {
    const { id } = await postShownAd('A walk in the snow');
    const page = await context.newPage();
    // The browser stores the id at the press. The code that stores the card is loaded after it.
    await page.goto('/listings');
    await page.evaluate((adId) => localStorage.setItem('favorites:guest', JSON.stringify([adId, 'unknown'])), id);
    await page.goto('/favorites');
    const list = page.getByRole('main').getByRole('list', { name: 'Favorites' });
    await list.getByRole('article').filter({ hasText: 'A walk in the snow' }).waitFor();
    await list.getByText('This ad has been taken down').waitFor();
  }));

test('a hidden tab requests no list, and one list when it is shown again', () =>
  withVisitor(browser, product.url, {}, async (context) => {
    const page = await context.newPage();
    const untilLive = await trackLiveChannel(page);
    await page.addInitScript(() => {
      let isHidden = false;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      Object.assign(globalThis, {
        setHidden(value: boolean) {
          isHidden = value;
          document.dispatchEvent(new Event('visibilitychange'));
        },
      });
    });
    const setHidden = (value: boolean) =>
      page.evaluate(
        (hidden) => (globalThis as unknown as { setHidden(value: boolean): void }).setHidden(hidden),
        value,
      );
    await page.goto('/listings');
    await page.getByRole('main').getByText('A walk by the river').first().waitFor();
    await untilLive();

    const requests: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/ads') requests.push(request.url());
    });
    await setHidden(true);
    await postAds(6, 8);
    // Longer than the first intervals between two requests.
    await page.waitForTimeout(4_000);
    expect(requests).toEqual([]);
    await setHidden(false);
    await expect.poll(() => requests.length, { timeout: MAX_WAIT_ms }).toBe(1);
    await page.waitForTimeout(2_000);
    expect(requests).toHaveLength(1);
  }));
