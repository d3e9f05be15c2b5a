import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser, openVisitor } from '../support/browser.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { populate, ROLES, type Role, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { headingOf, SCREENS, type Finding } from '../support/screens.ts';

/** Every address × everybody (specification, section 2, "Routes"): opened from outside, and once more by a reload. */
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

describe.each(ROLES)('%s', (role: Role) => {
  let context: BrowserContext;
  let console: ConsoleWatch;
  let page: Page;
  beforeAll(async () => {
    context = await openVisitor(browser, product.url, { token: world.tokenOf(role) });
    console = new ConsoleWatch(context);
    page = await context.newPage();
  });
  afterAll(() => context?.close());

  // A moderator is a client everywhere else.
  const screens = role === 'moderator' ? SCREENS.filter(({ name }) => name.startsWith('admin')) : SCREENS;
  it.each(screens.map((screen) => [screen.path({ ad: { id: '{id}', title: '{title}', state: 'NV', city: 'Reno' }, thread: { id: '{id}', title: '{title}', path: '{thread}' } }), screen] as const))('%s', async (_address, screen) => {
    console.forget();
    // The page, and what it asks for.
    if (screen.isMissing) console.allow(new RegExp(`status of 404 .*/${screen.path(world).split('/').at(-1)}$`, 'u'));
    const path = screen.path(world);
    const finding = screen.finds(role, world);
    await page.goto(path);
    await expectFinding(page, path, finding);
    await page.reload();
    await expectFinding(page, 'goesTo' in finding ? new URL(page.url()).pathname : path, finding);
    console.expectSilence();
  });
});

/** Waits until the page shows what it should, at the address where it should be. */
async function expectFinding(page: Page, path: string, finding: Finding): Promise<void> {
  const heading = headingOf(page);
  if ('goesTo' in finding) await page.waitForURL(({ pathname }) => pathname === finding.goesTo);
  await heading.filter({ hasText: finding.heading }).waitFor();
  if (!('goesTo' in finding)) {
    expect(decodeURI(new URL(page.url()).pathname), 'the address stays').toBe(path.split(/[?#]/u)[0]);
    if (finding.says !== undefined) await page.locator('main').getByText(finding.says).first().waitFor();
  }
  await expect.poll(() => heading.count(), { message: 'one heading of the page' }).toBe(1);
}
