import { DEMO_EMAILS } from '@alpenglow/domain';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DESKTOP, PHONE, sharedBrowser, withVisitor } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Tests the guide on the home page of a demo, which shows a visitor what to try as each kind of user. */

let product: TestProduct;
let browser: Browser;
beforeAll(async () => {
  product = await startTestProduct({ isDemo: true, adminEmail: DEMO_EMAILS.admin });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const guide = (page: Page) => page.getByRole('region', { name: 'Try the demo' });

test('one click logs in each kind of user and opens a page with content', () =>
  withVisitor(browser, product.url, { viewport: DESKTOP }, async (context) => {
    const page = await context.newPage();
    const main = page.getByRole('main');
    for (const [role, path, heading] of [
      ['client', '/favorites', 'Favorites'],
      ['provider', '/provider-profile', 'Provider Dashboard'],
      ['admin', '/admin/moderation', 'Reports and decisions'],
    ] as const) {
      await page.goto('/');
      await guide(page)
        .getByRole('button', { name: `Log in as ${role}` })
        .click();
      await page.waitForURL(`**${path}`);
      await main.getByRole('heading', { level: 1, name: heading }).waitFor();
    }
    // The moderation queue of the demo has open cases.
    await main.getByRole('button', { name: 'Claim' }).first().waitFor();
    await page.goto('/');
    await guide(page).getByText('You are logged in as').waitFor();
    expect(await guide(page).getByRole('button', { name: 'Log in as admin' }).count()).toBe(0);
  }));

test('a visitor finds the accounts and pages to try, and can close the guide', () =>
  withVisitor(browser, product.url, { viewport: PHONE }, async (context) => {
    const page = await context.newPage();
    await page.goto('/no/such/page');
    const note = page.getByRole('alert').filter({ hasText: 'That page does not exist' });
    const [noteBox, guideBox] = await Promise.all([note.boundingBox(), guide(page).boundingBox()]);
    expect(noteBox?.y, 'the note is above the guide').toBeLessThan(guideBox?.y ?? 0);
    expect(await guide(page).getByRole('listitem').count(), 'the guide is collapsed on a phone').toBe(0);
    await guide(page).getByRole('button', { name: 'Show what to try' }).click();
    for (const email of Object.values(DEMO_EMAILS)) await guide(page).getByText(email).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await guide(page).getByRole('link', { name: 'Ads in Las Vegas' }).click();
    await page
      .getByRole('main')
      .getByRole('heading', { level: 1, name: /Las Vegas/u })
      .waitFor();
    expect(await guide(page).count(), 'the guide is on the home page only').toBe(0);
    await page.goto('/');
    await guide(page).getByRole('button', { name: 'Close' }).click();
    await guide(page).waitFor({ state: 'detached' });
  }));
