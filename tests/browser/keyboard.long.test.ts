import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { newestCode } from '../support/browser-inbox.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Performs the main flow without a mouse, from the age gate and the sign-up to the deletion of an ad (F-17). */
let product: TestProduct;
let browser: Browser;
beforeAll(async () => {
  product = await startTestProduct();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const MAX_TABS = 120;

/** Presses Tab until an element has the focus. Checks that the focus is visible on every element on the way. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      const isVisible = await target.evaluate((element) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        return (
          element.matches(':focus-visible') &&
          ((outlineStyle !== 'none' && outlineWidth !== '0px') ||
            boxShadow !== 'none' ||
            element.matches('input[type=radio], input[type=checkbox]'))
        );
      });
      expect(isVisible, `the focus on ${String(target)} is visible`).toBe(true);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(target)} was not reached with ${MAX_TABS} Tab presses`);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Chooses an option by typing its beginning, as native selects allow. */
async function choose(page: Page, target: Locator, beginning: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(beginning);
}

test('a provider signs up, posts, edits and deletes an ad with the keyboard only', async () => {
  const context = await openVisitor(browser, product.url, { hasPassedGates: false });
  const console = new ConsoleWatch(context);
  const page = await context.newPage();
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const heading = (text: string | RegExp) => headingOf(page).filter({ hasText: text });

  await page.goto('/');
  await press(page, button('I am 18+ — Enter'));
  // The buttons of a question that has just appeared ignore presses.
  await page.waitForFunction(
    () => document.querySelector<HTMLElement>('[data-question=guidelines] [data-actions]')?.style.pointerEvents === '',
  );
  await press(page, button('Accept & Continue'));
  await press(page, button('Essential only'));

  await press(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sign Up' }));
  await heading('Sign Up').waitFor();
  await tabTo(page, page.getByRole('radio', { name: /Client/u }));
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.getByRole('radio', { name: /Provider/u }).isChecked()).toBe(true);
  await type(page, page.getByLabel('Display name'), 'Anna');
  await type(page, page.getByRole('spinbutton', { name: 'Age' }), '30');
  await type(page, page.getByRole('textbox', { name: 'E-mail' }), 'anna@example.com');
  await type(page, page.getByLabel('Password', { exact: true }), 'correct horse');
  await page.keyboard.press('Enter');

  await heading('Verify your e-mail').waitFor();
  await type(
    page,
    page.getByRole('main').getByRole('textbox').first(),
    await newestCode(product.url, 'anna@example.com'),
  );
  await page.keyboard.press('Enter');

  await heading('Post Your Ad').waitFor();
  await type(page, page.getByRole('textbox', { name: 'Name', exact: true }), 'Anna');
  await type(page, page.getByLabel('Title'), 'An evening by the lake');
  await choose(page, page.getByLabel('Category'), 'Comp');
  await choose(page, page.getByLabel('State'), 'Nev');
  await choose(page, page.getByLabel('City'), 'Reno');
  await type(page, page.getByLabel('Description'), 'Calm and kind company.');
  await press(page, button('Post Ad'));
  await page.getByRole('dialog', { name: 'Ad posted successfully!', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/provider-ad/*');
  await heading('An evening by the lake').waitFor();

  await press(page, page.getByRole('main').getByRole('link', { name: 'Edit', exact: true }));
  await heading('Edit Your Ad').waitFor();
  await type(page, page.getByLabel('Title'), 'A morning by the lake');
  await press(page, button('Update Ad'));
  await page.getByRole('dialog', { name: /^Ad updated successfully!/u }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/provider-ad/*');
  await heading('A morning by the lake').waitFor();

  await press(page, page.getByRole('main').getByRole('button', { name: 'Delete', exact: true }));
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
  await dialog.waitFor();
  await expect
    .poll(() => dialog.evaluate((element) => element.contains(document.activeElement)), {
      message: 'the focus is in the dialog',
    })
    .toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await expect
    .poll(
      () =>
        page
          .getByRole('main')
          .getByRole('button', { name: 'Delete', exact: true })
          .evaluate((element) => element === document.activeElement),
      { message: 'the focus returns to its previous element' },
    )
    .toBe(true);
  await page.keyboard.press('Enter');
  await press(page, dialog.getByRole('button', { name: 'Delete ad' }));
  await page.waitForURL('**/provider-profile');
  await page.getByText('You have no ad yet').waitFor();
  console.expectNoProblems();
  await context.close();
});
