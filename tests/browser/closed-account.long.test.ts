import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { openMailboxes } from '../support/inbox.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * The owner of a closed account cannot log in. The owner reads the reason and appeals through the link in a mail
 * (decision 0043).
 */
const FACTS = 'The ad offers what the law forbids.';
const APPEAL = 'It offers an evening by the lake.';

let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
const contexts: BrowserContext[] = [];
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  client = createApiClient(product.url);
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await closeVisitors();
  await product?.stop();
});

async function tabOf(options: VisitorOptions, allowed: readonly RegExp[] = []): Promise<Page> {
  const context = await openVisitor(browser, product.url, options);
  contexts.push(context);
  watches.push(new ConsoleWatch(context, allowed));
  return context.newPage();
}
async function expectSuccess(method: string, path: string, token: string | undefined, body?: unknown): Promise<void> {
  const response = await client.call(method, `/api${path}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
}
const expectAccessible = async (page: Page) => expect(await axeViolations(page)).toEqual([]);

it('the owner of a closed account opens the link in the mail, appeals and reads the outcome', async () => {
  const caseUrl = `/admin/moderation/cases/ad-${world.ad.id}`;
  const { moderator, admin, provider } = world.people;
  await expectSuccess('POST', '/reports', undefined, {
    subject: { kind: 'ad', id: world.ad.id },
    reason: 'illegal',
    text: null,
  });
  await expectSuccess('POST', `${caseUrl}/claim`, moderator.token);
  await expectSuccess('POST', `${caseUrl}/decide`, moderator.token, {
    outcome: 'account_closed',
    rule: 'illegal',
    facts: FACTS,
  });
  const mailboxes = openMailboxes(product);
  const letter = await mailboxes.waitForMail(provider.email, 'About your account');
  await mailboxes.close();
  // A job sends the mail, possibly before the read models include the decision. The page loads the decision only once.
  await waitForRead(client);
  const link = new URL(/\S+\/decisions\/\S+/u.exec(letter.text)?.[0] ?? '');
  const { pathname, hash } = link;

  // With an incomplete link or the link of another moderation case, the page shows nothing. Opening the complete link
  // in the same tab works.
  const phone = await tabOf({ viewport: PHONE }, [new RegExp(`status of 404 .*${pathname}$`, 'u')]);
  const requestUrls: string[] = [];
  phone.on('request', (request) => requestUrls.push(request.url()));
  await phone.goto(pathname);
  await phone.getByText('open the complete link from our e-mail').waitFor();
  await expectAccessible(phone);
  await phone.goto(`${pathname}#${'A'.repeat(43)}`);
  await headingOf(phone).filter({ hasText: 'Decision not found' }).waitFor();
  await phone.goto(`${pathname}${hash}`);
  await phone.getByText(FACTS).waitFor();
  await phone.waitForURL(`**${pathname}`);
  expect(
    requestUrls.filter((url) => url.includes(hash.slice(1)) && !url.includes('#')),
    'no request contains the token in its address',
  ).toEqual([]);
  await phone.getByText('The account is closed and its ad is removed.').waitFor();
  await expectAccessible(phone);

  const field = phone.getByLabel('Why is the decision wrong?');
  await field.focus();
  await phone.keyboard.type(APPEAL);
  await phone.keyboard.press('Tab');
  await phone.keyboard.press('Enter');
  await phone.getByText('Appeal pending').waitFor();
  await phone.reload();
  await phone.getByText('Appeal pending').waitFor();
  await phone.getByText(APPEAL).waitFor();
  expect(new URL(phone.url()).hash).toBe('');

  // The API fails once, so the page must repeat the request.
  const desktop = await tabOf({ viewport: DESKTOP }, [/status of 500/u]);
  await desktop.route('**/api/account/decisions/*', (route) =>
    route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' }),
  );
  await expectSuccess('POST', `${caseUrl}/claim`, admin.token);
  await expectSuccess('POST', `${caseUrl}/appeal`, admin.token, {
    outcome: 'overturned',
    facts: 'It is what it says.',
  });
  await waitForRead(client);
  await desktop.goto(`${pathname}${hash}`);
  const again = desktop.getByRole('button', { name: 'Retry' });
  await again.waitFor();
  await desktop.unroute('**/api/account/decisions/*');
  await again.click();
  await desktop.getByText('Appeal granted').waitFor();
  await desktop.getByText('It is what it says.').waitFor();
  await desktop.getByText('you can sign up again').waitFor();
  await expectAccessible(desktop);
  for (const watch of watches) watch.expectNoProblems();
});
