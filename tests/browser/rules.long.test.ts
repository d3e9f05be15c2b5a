import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from '../support/api.ts';
import { openVisitor, sharedBrowser, trackLiveChannel } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, notice, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * An admin writes a hiding rule, tests it on the whole history, and switches it on and off. Matching ads are
 * hidden for all visitors while the rule is on.
 */
const FACTS = 'The ad asks for money before a meeting.';
const OWNER = 'Marta Wells';
const FITS = 'Send a WIRE-transfer first.';

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let admin: BrowserContext;
let guest: BrowserContext;
let page: Page;
let watches: readonly ConsoleWatch[];

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  const { token } = await api.signUp('client', { email: 'admin@example.com' });
  await report(await postAd('Evenings in Reno', FITS));
  await report(await postAd('Mornings in Reno', 'Calm and kind.'));
  browser = await sharedBrowser();
  admin = await openVisitor(browser, product.url, { token });
  guest = await openVisitor(browser, product.url);
  watches = [new ConsoleWatch(admin), new ConsoleWatch(guest, [/status of 404 .*\/ads\//u])];
  page = await admin.newPage();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

/** Posts an ad of a new provider. */
async function postAd(title: string, description: string): Promise<string> {
  const { token } = await api.signUp('provider');
  const { id } = await api.postAd(token, { name: OWNER, state: 'NV', city: 'Reno', title, description });
  await waitForRead(api);
  return id;
}

async function report(adId: string): Promise<void> {
  const { status } = await api.call('POST', '/api/reports', {
    body: { subject: { kind: 'ad', id: adId }, reason: 'spam' },
  });
  expect(status).toBe(201);
}

async function confirm(title: string, action: string): Promise<void> {
  await page.getByRole('dialog', { name: title }).getByRole('button', { name: action, exact: true }).click();
}

it('a rule reports invalid conditions, can be tested, and hides matching ads only while it is on', async () => {
  await page.goto('/admin/rules');
  await main(page).getByText('No rules yet').waitFor();
  await main(page).getByRole('button', { name: 'New rule' }).click();
  const form = main(page).getByRole('form', { name: 'New rule' });
  const field = (name: RegExp) => form.getByRole('textbox', { name });

  // Each error is shown at its field. The first invalid field has the focus.
  await field(/^Account younger than/u).fill('thirty');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The age must be a whole number of days from 1 to 365').waitFor();
  expect(await form.getByText('Please fill in all required fields').count()).toBe(2);
  await expect.poll(() => field(/^Rule name/u).evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await axeViolations(page)).toEqual([]);
  await field(/^Account younger than/u).fill('');
  await form.getByRole('button', { name: 'Test on full history' }).click();
  await form.getByText('A rule needs a condition').waitFor();

  // A test of the hiding rule requires only its conditions.
  await field(/^Words or phrases/u).fill('wire transfer\ngift cards');
  await form.getByRole('combobox', { name: 'Category' }).selectOption('Escort');
  await field(/^Account younger than/u).fill('30');
  await field(/^Reported at least/u).fill('1');
  await form.getByRole('button', { name: 'Test on full history' }).click();
  await main(page).getByText('1 ad would have been hidden; 2 accounts checked').waitFor();
  const hits = main(page).getByRole('region', { name: 'Ads that would have been hidden' }).getByRole('row');
  await expect.poll(() => hits.count()).toBe(2);
  await hits
    .filter({ has: page.getByRole('link', { name: 'Evenings in Reno' }) })
    .filter({ has: page.getByRole('link', { name: OWNER }) })
    .filter({ hasText: /Reno, NV.*Reported\s*Online/u })
    .waitFor();

  await field(/^Rule name/u).fill('Asks for money first');
  await field(/^Message to the person who posted the ad/u).fill(FACTS);
  await form.getByRole('button', { name: 'Save' }).click();
  await notice(page, 'Rule saved').waitFor();
  const rule = main(page)
    .getByRole('list', { name: 'Hiding rules' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'Asks for money first' }) });
  for (const condition of [
    'Draft',
    'The ad contains one of these: “wire transfer”, “gift cards”',
    'Category: Escort',
    'The account is younger than 30 days',
    'Reported at least once',
    '0 ads hidden',
  ])
    await rule.getByText(condition).waitFor();

  await rule.getByRole('button', { name: 'Turn on' }).click();
  expect(await axeViolations(page)).toEqual([]);
  await confirm('Turn this rule on?', 'Turn on');
  await notice(page, 'The rule is on').waitFor();
  await rule.getByText('On', { exact: true }).waitFor();
  expect(await rule.getByRole('button', { name: 'Edit…' }).count(), 'an active rule cannot be changed').toBe(0);

  // While a visitor reads a matching ad, the ad is reported. A moderator then finds the ad together with the text of
  // the hiding rule.
  const adId = await postAd('Nights in Reno', FITS);
  const reader = await guest.newPage();
  const untilLive = await trackLiveChannel(reader);
  await reader.goto(`/ad/${adId}`);
  await headingOf(reader).filter({ hasText: 'Nights in Reno' }).waitFor();
  await untilLive();
  await report(adId);
  await reader.getByText('This ad has been removed').waitFor();
  // The live message may arrive before the lists exclude the ad.
  await waitForRead(api);
  await reader.goto('/listings');
  await main(reader)
    .getByRole('link', { name: /Mornings in Reno/u })
    .first()
    .waitFor();
  expect(await main(reader).getByText('Nights in Reno').count()).toBe(0);
  expect(await main(reader).getByText('Evenings in Reno').count(), 'the ad was posted before the rule').toBeGreaterThan(
    0,
  );
  await page.goto('/admin/moderation');
  await page.getByRole('link', { name: 'Ad: Nights in Reno' }).click();
  await main(page).getByText(FACTS).waitFor();
  await main(page).getByText('automatically').waitFor();

  await page.goto('/admin/rules');
  await rule.getByText('1 ad hidden').waitFor();
  await rule.getByRole('button', { name: 'Turn off' }).click();
  await confirm('Turn this rule off?', 'Turn off');
  await notice(page, 'The rule is off').waitFor();
  await rule.getByText('Off', { exact: true }).waitFor();
  await rule.getByRole('button', { name: 'Discard' }).click();
  await confirm('Discard this rule?', 'Discard');
  await notice(page, 'Rule discarded').waitFor();
  await main(page).getByText('No rules yet').waitFor();
  for (const watch of watches) watch.expectNoProblems();
});
