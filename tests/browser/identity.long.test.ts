import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, PHONE, sharedBrowser, type VisitorOptions } from '../support/browser.ts';
import { axeViolations } from '../support/browser-axe.ts';
import { main, notice, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { injectFailure, noResponse } from '../support/browser-failures.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { blobFiles } from '../support/uploads.ts';

/**
 * A provider requests verification, is rejected, tries again and is verified. The provider and the admin use
 * separate browser profiles.
 */
const REASON = 'The second picture is too dark to read.';

let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let provider: Person;
let admin: Person;
let adId = '';
const contexts: BrowserContext[] = [];
const watches: ConsoleWatch[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  provider = await api.signUp('provider', { displayName: 'Anna' });
  admin = await api.signUp('client', { email: 'admin@example.com', displayName: 'Ada' });
  adId = (await api.postAd(provider.token, { title: 'Evenings in Reno' })).id;
  browser = await sharedBrowser();
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await closeVisitors();
  await product?.stop();
});

async function windowOf(token: string | undefined, address: string, options: VisitorOptions = {}): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token, ...options });
  contexts.push(context);
  watches.push(new ConsoleWatch(context));
  const page = await context.newPage();
  await page.goto(address);
  await headingOf(page).first().waitFor();
  return page;
}
const picture = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/jpeg', buffer });

it('evidence is submitted, rejected with a reason, submitted again, accepted and then deleted', async () => {
  const [card, face] = await Promise.all([pictures.withGps(), pictures.jpeg(600, 800)]);
  const owner = await windowOf(provider.token, '/provider-profile', { viewport: PHONE });
  const section = main(owner).getByRole('region', { name: /^Identity check/u });
  const choose = (files: readonly ReturnType<typeof picture>[]) =>
    section.locator('input[type="file"]').setInputFiles([...files]);
  const send = async () => {
    await section.getByRole('button', { name: 'Request verification' }).click();
    await notice(owner, 'Your request has been sent').waitFor();
    await section.getByText('Requested on').waitFor();
    await expect.poll(() => section.getByRole('button').count()).toBe(0);
  };

  // Invalid files are reported before they are sent, and the valid selection is preserved.
  await section.getByRole('button', { name: 'Choose pictures' }).waitFor();
  await choose([{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') }]);
  await section.getByText('notes.txt is not a JPEG').waitFor();
  await choose([picture('card.jpg', card), picture('face.jpg', face)]);
  await choose([picture('third.jpg', face)]);
  await section.getByText('Please choose at most 2 pictures').waitFor();
  await section.getByRole('button', { name: 'Remove card.jpg' }).click();
  await expect.poll(() => section.getByRole('listitem').allInnerTexts()).toEqual([expect.stringContaining('face.jpg')]);
  await choose([picture('card.jpg', card)]);
  expect(await axeViolations(owner)).toEqual([]);

  // An upload shows its progress and can be cancelled.
  const held = await injectFailure(owner, 'POST /api/account/identity', noResponse);
  await section.getByRole('button', { name: 'Request verification' }).click();
  await section.getByRole('progressbar', { name: 'Upload progress' }).waitFor();
  await section.getByText(/^\d+%$/u).waitFor();
  await section.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => section.getByRole('progressbar').count()).toBe(0);
  await held.remove();
  await send();

  // An admin views both pictures and rejects them. Every view of a picture is recorded.
  await waitForRead(api);
  const panel = await windowOf(admin.token, '/admin/identity');
  const viewPictures = async (count: number) => {
    await main(panel).getByRole('button', { name: 'Show pictures' }).click();
    for (let number = 1; number <= count; number += 1) {
      const displayed = main(panel).getByRole('img', { name: `Picture ${number} of Anna` });
      await expect.poll(() => displayed.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    }
  };
  const decide = async (action: string, title: string) => {
    await main(panel).getByRole('button', { name: action }).click();
    const dialog = panel.getByRole('dialog', { name: title });
    await dialog.getByRole('button', { name: action }).click();
    await dialog.getByText('Please enter a reason').waitFor();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(REASON);
    await dialog.getByRole('button', { name: action }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const verify = main(panel).getByRole('button', { name: 'Verify' });
  await main(panel).getByText('You can verify the provider after you have viewed all pictures').waitFor();
  expect(await verify.isDisabled()).toBe(true);
  await viewPictures(2);
  await expect.poll(() => verify.isEnabled()).toBe(true);
  expect(await axeViolations(panel)).toEqual([]);
  await decide('Reject', 'Reject the request of Anna?');
  await main(panel).getByText('Rejected', { exact: true }).waitFor();
  await expect.poll(() => main(panel).getByRole('img').count()).toBe(0);
  await panel.goto(`/admin/staff-reads?subject=${provider.user.id}`);
  await expect.poll(() => main(panel).getByRole('row').filter({ hasText: 'Identity check picture' }).count()).toBe(2);
  expect(await axeViolations(panel)).toEqual([]);

  // The provider reads the reason and submits again.
  await owner.reload();
  await section.getByText('Rejected', { exact: true }).waitFor();
  await section.getByText(`Reason: ${REASON}`).waitFor();
  await choose([picture('card.jpg', card)]);
  await send();
  await waitForRead(api);
  await panel.goto('/admin/identity');
  await viewPictures(1);
  await decide('Verify', 'Verify Anna?');
  await main(panel).getByText('Accepted', { exact: true }).waitFor();

  // The provider and the admin see the decision, and visitors see the mark. The pictures are deleted.
  await owner.reload();
  await section.getByText('You are verified, and your ad shows this.').waitFor();
  await waitForRead(api);
  const visitor = await windowOf(undefined, `/ad/${adId}`);
  await main(visitor)
    .getByRole('button', { name: /^Verified: / })
    .first()
    .waitFor();
  expect(
    (await api.call('GET', `/api/admin/identity/${provider.user.id}/files/1`, { token: admin.token })).status,
  ).toBe(404);
  await expect.poll(() => blobFiles(product.dataDir)).toEqual([]);
  for (const watch of watches) watch.expectNoProblems();
});
