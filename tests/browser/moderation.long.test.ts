import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Handles a moderation case from the report to a granted appeal. Each person has a separate
 * browser profile.
 */
const FACTS = 'The second line names a person who did not agree to it.';
const APPEAL = 'The name in it is my own stage name.';
const APPEAL_RESPONSE = 'It is the stage name of the provider.';

let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
let second: { readonly token: string };
const contexts: BrowserContext[] = [];
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  client = createApiClient(product.url);
  const person = await client.signUp('client', { email: 'noa@example.com', displayName: 'Noa' });
  const { status } = await client.call('PUT', `/api/admin/users/${person.user.id}/role`, {
    token: world.people.admin.token,
    body: { role: 'moderator', reason: 'Hears appeals' },
  });
  expect(status).toBe(200);
  second = person;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await closeVisitors();
  await product?.stop();
});

async function windowOf(
  token: string | undefined,
  address: string,
  options: VisitorOptions = {},
  allowed: readonly RegExp[] = [],
): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token, ...options });
  contexts.push(context);
  watches.push(new ConsoleWatch(context, allowed));
  const page = await context.newPage();
  await page.goto(address);
  await headingOf(page).first().waitFor();
  return page;
}
const of = (visitor: Visitor) => world.tokenOf(visitor);
const inDialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const expectAccessible = async (page: Page) => expect(await axeViolations(page)).toEqual([]);

/** Claims the only case of a moderation queue and opens it for a decision. */
async function claimCase(token: string | undefined, queue: string): Promise<Page> {
  const page = await windowOf(token, `/admin/moderation${queue}`, { viewport: DESKTOP });
  await page.getByRole('link', { name: `Ad: ${world.ad.title}` }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Claim' }).click();
  await page.getByText('You have claimed this case until').waitFor();
  return page;
}

it('a report hides an ad, a moderator confirms it, and another moderator restores the ad on appeal', async () => {
  // A visitor without an account reports the ad. A second visitor, who is reading the ad, then sees a notice that the
  // ad has been removed.
  const adPage = `/ad/${world.ad.id}`;
  const adMissing = [new RegExp(`status of 404 .*/ads/${world.ad.id}$`, 'u')];
  const [reporter, reader] = await Promise.all([
    windowOf(undefined, adPage, { viewport: PHONE }, adMissing),
    windowOf(undefined, adPage, {}, adMissing),
  ]);
  await reporter.getByRole('button', { name: 'Report this ad' }).click();
  const dialog = inDialog(reporter, 'Report this ad');
  await dialog.getByRole('button', { name: 'Send report' }).click();
  const firstReason = dialog.getByRole('radio').first();
  await expect.poll(() => firstReason.evaluate((radio) => radio === document.activeElement)).toBe(true);
  const [error, buttons] = await Promise.all([
    dialog.getByText('Please choose a reason').boundingBox(),
    dialog.getByRole('button', { name: 'Send report' }).boundingBox(),
  ]);
  expect(error?.y, 'the error is visible').toBeGreaterThan(0);
  expect((error?.y ?? 0) + (error?.height ?? 0), 'the buttons do not cover the error').toBeLessThan(buttons?.y ?? 0);
  await dialog.getByRole('radio', { name: /without my consent/u }).check();
  await dialog.getByLabel('Details').fill('She is my sister.');
  await expectAccessible(reporter);
  await dialog.getByRole('button', { name: 'Send report' }).click();
  const confirmation = inDialog(reporter, 'Thank you');
  const reference = (await confirmation.locator('strong').innerText()).trim();
  await confirmation.getByRole('link', { name: 'help page' }).click();
  await headingOf(reporter).filter({ hasText: 'Help and safety' }).waitFor();
  // The reporter requests the status repeatedly until the decision is available.
  const checkStatus = async (text: RegExp) => {
    const isShown = async () => {
      await reporter.getByLabel('Report number').fill(reference.toLowerCase());
      const isAbout = (response: Response) => response.url().endsWith(`/api/reports/${reference}`);
      const [response] = await Promise.all([
        reporter.waitForResponse(isAbout),
        reporter.getByRole('button', { name: 'Check status', exact: true }).click(),
      ]);
      if (!response.ok()) return false;
      await reporter.getByText(/has not been decided yet|A moderator has made a decision/u).waitFor();
      return (await reporter.getByText(text).count()) > 0;
    };
    await expect.poll(isShown).toBe(true);
  };
  await checkStatus(/has not been decided yet/u);
  await reader.getByText('This ad has been removed').waitFor();

  // A moderator claims the moderation case and sees the report and the reported version of the ad.
  const moderator = await claimCase(of('moderator'), '');
  await moderator.getByText('She is my sister.').waitFor();
  await moderator.getByRole('heading', { name: 'Content under review' }).waitFor();
  await expectAccessible(moderator);
  // Visitors do not see the ad, but the moderator does.
  await moderator.getByRole('link', { name: 'View hidden content and history' }).click();
  await headingOf(moderator).filter({ hasText: world.ad.title }).waitFor();
  await moderator.getByRole('heading', { name: 'Version at this time' }).waitFor();
  await moderator.goBack();
  await moderator.getByRole('radio', { name: /^Hide the content/u }).check();
  await moderator.getByLabel('Facts').fill(FACTS);
  await moderator.getByRole('button', { name: 'Decide', exact: true }).click();
  await inDialog(moderator, 'Confirm this decision?').getByRole('button', { name: 'Decide', exact: true }).click();
  await moderator.getByRole('heading', { name: 'No open cases' }).waitFor();
  await checkStatus(/A moderator has made a decision/u);

  // The owner sees the decision on the dashboard, reads the reasons and files an appeal. These pages read other read
  // models than the status of the report.
  await waitForRead(client);
  const owner = await windowOf(of('provider'), '/provider-profile', { viewport: PHONE });
  await owner.getByText('This ad is hidden by moderation').waitFor();
  await owner.getByRole('link', { name: 'Reasons and next steps' }).click();
  await owner
    .getByRole('link', { name: `Ad: ${world.ad.title}` })
    .first()
    .click();
  await owner.getByText(FACTS).waitFor();
  await owner.getByText('Pictures, phone numbers and names of other people require their consent.').waitFor();
  await owner.getByText('A moderator', { exact: true }).waitFor();
  await owner.getByRole('button', { name: 'Appeal' }).click();
  await owner.getByLabel('Why is the decision wrong?').and(owner.locator('[aria-invalid="true"]')).fill(APPEAL);
  await expectAccessible(owner);
  await owner.getByRole('button', { name: 'Appeal' }).click();
  await owner.getByText('Appeal pending').waitFor();

  // The moderator who made the decision cannot handle the appeal. Another moderator grants the appeal.
  await moderator.goto(`/admin/moderation/cases/ad-${world.ad.id}`);
  await moderator.getByText('Another moderator must handle this case').waitFor();
  expect(await moderator.getByRole('button', { name: 'Claim' }).count()).toBe(0);
  await moderator.goto('/admin/moderation?state=appeals');
  await moderator.getByText('Your own content or decision').waitFor();
  expect(await moderator.getByRole('button', { name: 'Claim' }).count()).toBe(0);
  const other = await claimCase(second.token, '?state=appeals');
  await other.getByText(APPEAL).first().waitFor();
  await other.getByRole('radio', { name: /Overturn the decision/u }).check();
  await other.getByLabel('Facts').fill(APPEAL_RESPONSE);
  await other.getByRole('button', { name: 'Decide', exact: true }).click();
  const confirmed = inDialog(other, 'Confirm this decision?');
  await confirmed.getByText(APPEAL_RESPONSE).waitFor();
  await expectAccessible(other);
  await confirmed.getByRole('button', { name: 'Overturn the decision' }).click();
  await other
    .getByRole('heading', { name: 'No pending appeals' })
    .or(other.getByRole('heading', { name: 'No open cases' }))
    .waitFor();

  // The owner reads the response to the appeal, and visitors see the ad again.
  await waitForRead(client);
  await owner.reload();
  await owner.getByText('Appeal granted').waitFor();
  await owner.getByText(APPEAL_RESPONSE).waitFor();
  const visitor = await windowOf(undefined, '/listings');
  await visitor
    .getByRole('link', { name: new RegExp(world.ad.title, 'u') })
    .first()
    .waitFor();
  for (const watch of watches) watch.expectNoProblems();
});
