import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, sharedBrowser, openVisitor, PHONE } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { comeToRest, everythingToSee } from '../support/moments.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** WCAG 2.2 AA, as far as axe sees it: every screen, menu, dialog and error, light and dark (design/front-end.md, "Looks"). */
let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

/** Colours are measured where they arrive, not on their way there. */
const stopFading = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });

// Several at a time: a page at rest costs nothing, and resting is most of what they do.
it.concurrent.each(everythingToSee().map((moment) => [moment.name, moment] as const))('%s', async (_name, moment) => {
  const context = await openVisitor(browser, product.url, {
    token: world.tokenOf(moment.visitor),
    viewport: moment.only === 'phone' ? PHONE : DESKTOP,
    hasPassedGates: moment.hasPassedGates ?? true,
    locale: moment.locale ?? 'en',
  });
  try {
    const page = await context.newPage();
    await moment.reach(page, world);
    await comeToRest(page);
    await stopFading(page);
    const light = await axeViolations(page, moment.isPassing);
    await page.emulateMedia({ colorScheme: 'dark' });
    if (moment.only === undefined) await page.setViewportSize(PHONE);
    const dark = await axeViolations(page, moment.isPassing);
    expect({ light, dark }).toEqual({ light: [], dark: [] });
  } finally {
    await context.close();
  }
});
