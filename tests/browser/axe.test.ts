import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, launchBrowser, openVisitor, PHONE } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { comeToRest, everythingToSee } from '../support/moments.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

/** WCAG 2.2 AA, as far as axe sees it: every screen, menu, dialog and error, light and dark (design/front-end.md, "Looks"). */
let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
});

it.each(everythingToSee().map((moment) => [moment.name, moment] as const))('%s', async (_name, moment) => {
  const viewport = moment.only === 'phone' ? PHONE : DESKTOP;
  const context = await openVisitor(browser, product.url, { token: world.tokenOf(moment.visitor), viewport, hasPassedGates: moment.hasPassedGates ?? true });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(8_000);
    await moment.reach(page, world);
    await comeToRest(page);
    const light = await axeViolations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await axeViolations(page);
    if (moment.only === undefined) await page.setViewportSize(PHONE);
    const dark390 = moment.only === undefined ? await axeViolations(page) : [];
    expect({ light, dark, dark390 }).toEqual({ light: [], dark: [], dark390: [] });
  } finally {
    await context.close();
  }
});
