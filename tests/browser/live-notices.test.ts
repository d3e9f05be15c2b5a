import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { sharedBrowser, trackLiveChannel, withVisitor } from '../support/browser.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** The toast of live messages, and the requests that live messages cause. */
let product: TestProduct;
let api: ApiClient;
let browser: Browser;
let providers: readonly string[];
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  providers = (await Promise.all(Array.from({ length: 8 }, () => api.signUp('provider')))).map(({ token }) => token);
  await postAds(0, 1);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function postAds(from: number, to: number): Promise<void> {
  for (const token of providers.slice(from, to)) await api.postAd(token, { title: 'A walk by the river' });
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

test('live messages share one toast, which renders no remote again and can be muted', () =>
  withVisitor(browser, product.url, {}, async (context) => {
    const page = await context.newPage();
    await countRemoteRenders(page);
    const untilLive = await trackLiveChannel(page);
    await page.goto('/listings');
    await page.getByRole('main').getByText('A walk by the river').first().waitFor();
    await untilLive();
    const before = await renders(page);
    expect(before, 'the hook finds the App of the remote').toBeGreaterThan(0);

    await postAds(1, 4);
    await toasts(page).getByText('3 new ads').waitFor();
    expect(await toasts(page).getByRole('button', { name: 'Mute' }).count(), 'there is one toast').toBe(1);
    expect(await renders(page)).toBe(before);

    await toasts(page).getByRole('button', { name: 'Mute' }).click();
    await toasts(page).getByText('Live notices are off.').waitFor();
    await toasts(page).getByRole('button', { name: 'Dismiss' }).click();
    await postAds(4, 5);
    await page.getByRole('main').getByText('5 ads').first().waitFor();
    expect(await toasts(page).innerText()).toBe('');

    // The choice is remembered, and can be changed.
    await page.reload();
    await page.getByRole('button', { name: 'Language and appearance' }).click();
    const choice = page.getByRole('group', { name: 'Live notices' });
    expect(await choice.getByRole('button', { name: 'Off' }).getAttribute('aria-pressed')).toBe('true');
    await choice.getByRole('button', { name: 'On' }).click();
    await untilLive();
    await postAds(5, 6);
    await toasts(page).getByText('New ad posted!').waitFor();
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
