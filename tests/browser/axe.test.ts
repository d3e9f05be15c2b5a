import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { DESKTOP, PHONE, sharedBrowser, withVisitor } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { SCREEN_STATES, trackPageActivity } from '../support/screen-states.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';

/**
 * Checks every menu, dialog and error with axe for WCAG 2.2 AA, in the light and the dark theme (F-17). The test
 * routes.test.ts checks the screens that have a URL.
 */
let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(() => product?.stop());

// The tests run concurrently, because a page spends most of its time waiting.
it.concurrent.each(sampleOf(SCREEN_STATES, 2).map((moment) => [moment.name, moment] as const))(
  '%s',
  async (_name, moment) => {
    const options = {
      token: world.tokenOf(moment.visitor),
      viewport: moment.viewport === 'phone' ? PHONE : DESKTOP,
      hasPassedGates: moment.hasPassedGates ?? true,
      locale: moment.locale ?? 'en',
    };
    await withVisitor(browser, product.url, options, async (context) => {
      const page = await context.newPage();
      const waitUntilIdle = trackPageActivity(page);
      await moment.open(page, world);
      await waitUntilIdle(moment.isTransient);
      await expectAccessible(page, {
        isTransient: moment.isTransient ?? false,
        retainsWidth: moment.viewport !== undefined,
      });
    });
  },
);
