import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient, PASSWORD, type ApiClient } from '../support/api-client.ts';
import { DESKTOP, openVisitor, PHONE, sharedBrowser } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, waitForRead } from '../support/browser-community.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { populate, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/** The pages of cases, the moderation log and accounts. */

const REPORT_TEXT = 'The second line names my neighbor.';
const FACTS = 'Please take the name out of the second line.';

let product: TestProduct;
let browser: Browser;
let world: World;
let client: ApiClient;
const adIds: string[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  client = createApiClient(product.url);
  // Long ads push everything below them out of the viewport.
  const description = 'A calm evening with good conversation. '.repeat(40);
  for (const title of ['The first ad', 'The second ad', 'The third ad']) {
    const email = `${title.split(' ')[1] ?? ''}@example.com`;
    const provider = await client.signUp('provider', { email, displayName: 'Paula' });
    adIds.push((await client.postAd(provider.token, { title, description, phone: '+17025550188' })).id);
  }
  for (const id of adIds) {
    const { status } = await client.call('POST', '/api/reports', {
      body: { subject: { kind: 'ad', id }, reason: 'other', text: REPORT_TEXT },
    });
    expect(status).toBe(201);
  }
  await waitForRead(client);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

async function openPage(
  visitor: 'moderator' | 'admin' | 'provider',
  path: string,
  viewport: typeof PHONE | typeof DESKTOP = DESKTOP,
): Promise<Page> {
  const page = await (await openVisitor(browser, product.url, { token: world.tokenOf(visitor), viewport })).newPage();
  await page.goto(path);
  await headingOf(page).first().waitFor();
  return page;
}
const isInViewport = (element: Locator) =>
  element.evaluate((target) => {
    const { top, bottom } = target.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
const expectNoOverflow = async (page: Page) =>
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    page.viewportSize()?.width ?? 0,
  );

describe('the case page', () => {
  test('keeps the reported reason and text next to the decision, and works with keys', async () => {
    const page = await openPage('moderator', '/admin/moderation');
    await main(page).getByRole('link', { name: 'Ad: The first ad' }).waitFor();
    await page.keyboard.press('n');
    await headingOf(page).filter({ hasText: 'The first ad' }).waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Claim this case').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.getByText('You have claimed this case until').waitFor();
    const report = main(page).getByText(REPORT_TEXT);
    const decide = main(page).getByRole('button', { name: 'Decide', exact: true });
    await main(page).getByRole('heading', { name: 'Connections to other accounts' }).waitFor();
    await page.locator('#links').evaluate((target) => target.scrollIntoView({ block: 'center' }));
    expect(await isInViewport(report), 'the report is visible').toBe(true);
    expect(await isInViewport(decide), 'the button is visible').toBe(true);
    await page.keyboard.press('d');
    const focused = main(page).getByRole('radio', { name: 'Keep the content' });
    await expect.poll(() => focused.evaluate((radio) => radio === document.activeElement)).toBe(true);
    // Letters in a text field are text.
    await page.getByLabel('Facts').fill('');
    await page.getByLabel('Facts').press('n');
    expect(await page.getByLabel('Facts').inputValue()).toBe('n');
    expect(await axeViolations(page)).toEqual([]);
    await page.close();
  });

  test('asks for a change, decides linked cases, saves the reason and opens the next case', async () => {
    const page = await openPage('moderator', `/admin/moderation/cases/ad-${adIds[0] ?? ''}`);
    await page.getByLabel('Facts').fill(FACTS);
    await main(page).getByRole('button', { name: 'Save as a reason (without names)' }).click();
    await main(page).getByRole('radio', { name: 'Request a change by a date' }).check();
    await page.getByLabel('Time for the change').selectOption({ index: 1 });
    const linked = main(page).getByRole('group', { name: 'Also decide these cases' });
    expect(await linked.count(), 'a change is requested in one case at a time').toBe(0);
    await main(page).getByRole('button', { name: 'Decide and next' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm this decision?' });
    await dialog.getByRole('button', { name: 'Decide' }).click();
    await headingOf(page).filter({ hasText: 'The second ad' }).waitFor();
    await page.getByText('You have claimed this case until').waitFor();
    await page.getByLabel('Facts').fill(FACTS);
    await main(page).getByRole('radio', { name: 'Warn' }).check();
    await linked.getByText('Same phone').first().waitFor();
    const third = linked.getByRole('checkbox', { name: 'Ad: The third ad' });
    await third.check();
    await main(page).getByRole('button', { name: 'Decide and next' }).click();
    await dialog.getByText('1 other case gets the same decision.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).last().click();
    await third.uncheck();
    await main(page).getByRole('button', { name: 'Decide and next' }).click();
    await dialog.getByRole('button', { name: 'Decide' }).click();
    await headingOf(page).filter({ hasText: 'The third ad' }).waitFor();
    await page.getByText('You have claimed this case until').waitFor();
    await main(page).getByRole('button', { name: 'Saved reasons' }).click();
    await main(page).getByRole('button', { name: FACTS }).click();
    expect(await page.getByLabel('Facts').inputValue()).toBe(FACTS);
    await page.close();
    for (const [index, outcome] of ['change_requested', 'warned'].entries()) {
      const { body } = await client.call('GET', `/api/admin/moderation/cases/ad-${adIds[index] ?? ''}`, {
        token: world.people.moderator.token,
      });
      expect(body['data']).toMatchObject({ state: 'decided', decision: { outcome } });
    }
  });

  test('fits on a phone, with the report above the form', async () => {
    const page = await openPage('moderator', `/admin/moderation/cases/ad-${adIds[2] ?? ''}`, PHONE);
    await page.getByText('You have claimed this case until').waitFor();
    await expectNoOverflow(page);
    const [report, form] = await Promise.all([
      main(page).getByText(REPORT_TEXT).boundingBox(),
      main(page).getByRole('radio').first().boundingBox(),
    ]);
    expect((form?.y ?? 0) - (report?.y ?? 0)).toBeLessThan(PHONE.height);
    expect(await axeViolations(page)).toEqual([]);
    await page.close();
  });
});

test('the owner sees the requested change and its date, and can change the ad', async () => {
  const { status, body } = await client.call('POST', '/api/auth/login', {
    body: { email: 'first@example.com', password: PASSWORD },
  });
  expect(status).toBe(200);
  const page = await (
    await openVisitor(browser, product.url, { token: body['token'] as string, viewport: PHONE })
  ).newPage();
  await page.goto('/provider-profile');
  await page.getByText(/^Please change this ad by /u).waitFor();
  await expectNoOverflow(page);
  await page.getByRole('link', { name: 'Reasons and next steps' }).click();
  await page.getByText(FACTS).waitFor();
  await page.getByText('Change requested').first().waitFor();
  await page.getByRole('link', { name: 'change your ad' }).click();
  await headingOf(page).first().waitFor();
  expect(page.url()).toContain(`/edit/${adIds[0] ?? ''}`);
  const changed = await client.call('PUT', `/api/ads/${adIds[0] ?? ''}`, {
    token: body['token'] as string,
    body: { description: 'A calm evening.' },
  });
  expect(changed.status).toBe(200);
  await waitForRead(client);
  await page.goto('/provider-profile');
  await page.getByText('You have changed this ad').waitFor();
  expect(await page.getByText(/^Please change this ad by /u).count()).toBe(0);
  await page.close();
});

describe('the panel of an admin', () => {
  test.each([
    ['/admin/users', DESKTOP],
    ['/admin/ads', DESKTOP],
    ['/admin/users', PHONE],
    ['/admin/ads', PHONE],
  ] as const)('shows %s with one line per row and a menu of actions', async (path, viewport) => {
    const page = await openPage('admin', path, viewport);
    const rows = main(page).getByRole('row');
    await rows.nth(1).waitFor();
    const heights = await rows.evaluateAll((found) => found.map((row) => row.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(64);
    await expectNoOverflow(page);
    const menu = main(page)
      .getByRole('button', { name: /^Actions on/u })
      .first();
    await menu.click();
    await main(page)
      .getByRole('button', { name: /^(?:Take down|Close account)/u })
      .first()
      .waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.close();
  });

  test('shows reports, decisions and links of an account, and asks for its address before an erasure', async () => {
    const { body } = await client.call('GET', '/api/admin/users?q=first%40example.com', {
      token: world.people.admin.token,
    });
    const userId = (body['data'] as { id: string }[])[0]?.id ?? '';
    const page = await openPage('admin', `/admin/users/${userId}`);
    await main(page).getByRole('heading', { name: 'Reports and cases' }).waitFor();
    await main(page).getByText(FACTS).waitFor();
    await main(page).getByRole('link', { name: 'The second ad' }).waitFor();
    await main(page).getByRole('button', { name: 'Erase all data…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase all data about Paula?' });
    await dialog.getByText('The first ad').waitFor();
    await dialog.getByLabel('Reason').fill('The person asked for it.');
    await dialog.getByRole('button', { name: 'Erase all data' }).click();
    await dialog.getByText('This is not the e-mail address of this person').waitFor();
    await dialog.getByLabel('Type the e-mail address of this person').fill('FIRST@example.com');
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.close();
  });

  test('names content, outcome and owner in the log', async () => {
    const page = await openPage('admin', '/admin/log?type=CaseDecided');
    const row = main(page).getByRole('listitem').filter({ hasText: 'The first ad' }).first();
    await expect.poll(() => row.innerText(), { timeout: MAX_WAIT_ms }).toMatch(/Change requested[\s\S]*Paula/u);
    await page.close();
  });
});
