import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { createApiClient, type ApiClient } from '../support/api-client.ts';
import { openMailboxes } from '../support/inbox.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** Whoever cannot log in any more reads why and appeals by the link of the mail (decision 0043). */
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
async function done(method: string, path: string, token: string | undefined, body?: unknown): Promise<void> {
  const answer = await client.call(method, `/api${path}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}
const expectAccessible = async (page: Page) => expect(await axeViolations(page)).toEqual([]);

it('somebody whose account was closed follows the link of the mail, appeals by keyboard, and reads what came of it', async () => {
  const caseUrl = `/admin/moderation/cases/ad-${world.ad.id}`;
  const { moderator, admin, provider } = world.people;
  await done('POST', '/reports', undefined, {
    subject: { kind: 'ad', id: world.ad.id },
    reason: 'illegal',
    text: null,
  });
  await done('POST', `${caseUrl}/claim`, moderator.token);
  await done('POST', `${caseUrl}/decide`, moderator.token, {
    outcome: 'account_closed',
    rule: 'illegal',
    facts: FACTS,
  });
  const mailboxes = openMailboxes(product);
  const letter = await mailboxes.next(provider.email, 'About your account');
  await mailboxes.close();
  const link = new URL(/\S+\/decisions\/\S+/u.exec(letter.text)?.[0] ?? '');
  const { pathname, hash } = link;

  // Without the end of the link, and with one of another, nothing is told; the whole link in the same tab is enough.
  const phone = await tabOf({ viewport: PHONE }, [new RegExp(`status of 404 .*${pathname}$`, 'u')]);
  const asked: string[] = [];
  phone.on('request', (request) => asked.push(request.url()));
  await phone.goto(pathname);
  await phone.getByText('please open the whole link of the mail').waitFor();
  await expectAccessible(phone);
  await phone.goto(`${pathname}#${'A'.repeat(43)}`);
  await headingOf(phone).filter({ hasText: 'There is no such decision' }).waitFor();
  await phone.goto(`${pathname}${hash}`);
  await phone.getByText(FACTS).waitFor();
  await phone.waitForURL(`**${pathname}`);
  expect(
    asked.filter((url) => url.includes(hash.slice(1)) && !url.includes('#')),
    'no server is told the token in an address',
  ).toEqual([]);
  await phone.getByText('The account and all its content are closed.').waitFor();
  await expectAccessible(phone);

  const field = phone.getByLabel('Why is the decision wrong?');
  await field.focus();
  await phone.keyboard.type(APPEAL);
  await phone.keyboard.press('Tab');
  await phone.keyboard.press('Enter');
  await phone.getByText('Appeal waits').waitFor();
  await phone.reload();
  await phone.getByText('Appeal waits').waitFor();
  await phone.getByText(APPEAL).waitFor();
  expect(new URL(phone.url()).hash).toBe('');

  // The API is away for a moment, and asked again.
  const desktop = await tabOf({ viewport: DESKTOP }, [/status of 500/u]);
  await desktop.route('**/api/account/decisions/*', (route) =>
    route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' }),
  );
  await done('POST', `${caseUrl}/claim`, admin.token);
  await done('POST', `${caseUrl}/appeal`, admin.token, { outcome: 'overturned', facts: 'It is what it says.' });
  await desktop.goto(`${pathname}${hash}`);
  const again = desktop.getByRole('button', { name: 'Retry' });
  await again.waitFor();
  await desktop.unroute('**/api/account/decisions/*');
  await again.click();
  await desktop.getByText('Appeal granted').waitFor();
  await desktop.getByText('It is what it says.').waitFor();
  await desktop.getByText('you are welcome to sign up anew').waitFor();
  await expectAccessible(desktop);
  for (const watch of watches) watch.expectSilence();
});
