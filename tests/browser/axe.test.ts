import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { DESKTOP, PHONE, sharedBrowser, withVisitor } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { MOMENTS, watchRest } from '../support/moments.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { sampleOf } from '../support/sample.ts';

/**
 * WCAG 2.2 AA, as far as axe sees it: every menu, dialog and error, light and dark (design/front-end.md, "Looks"). The screens that an
 * address leads to are looked at in routes.test.ts.
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

// Several at a time: a page at rest costs nothing, and resting is most of what they do.
it.concurrent.each(sampleOf(MOMENTS, 2).map((moment) => [moment.name, moment] as const))(
  '%s',
  async (_name, moment) => {
    const options = {
      token: world.tokenOf(moment.visitor),
      viewport: moment.only === 'phone' ? PHONE : DESKTOP,
      hasPassedGates: moment.hasPassedGates ?? true,
      locale: moment.locale ?? 'en',
    };
    await withVisitor(browser, product.url, options, async (context) => {
      const page = await context.newPage();
      const comesToRest = watchRest(page);
      await moment.reach(page, world);
      await comesToRest(moment.isPassing);
      await expectAccessible(page, { isPassing: moment.isPassing ?? false, keepsWidth: moment.only !== undefined });
    });
  },
);
