import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { openVisitor, sharedBrowser, trackLiveChannel } from '../support/browser.ts';
import { main, postOf, waitForRead, watchForReload } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording, type Recording } from '../support/recording.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { threadRecorder } from '../support/threads.ts';

/**
 * An author starts a thread in one window, and a reader reads the thread in another window. Other actions are tested in
 * community.long.test.ts.
 */
let product: TestProduct;
let browser: Browser;
let recording: Recording;
beforeAll(async () => {
  product = await startTestProduct();
  recording = await openRecording(product);
  // The city has one thread before the test begins.
  const threads = threadRecorder(recording);
  const { id } = await threads.start({
    place: { country: 'us', state: 'NV', city: 'Henderson' },
    title: 'Very much to read',
  });
  await threads.reply(id, 1, [{ body: 'And more of it.' }]);
  await waitForRead(apiClient(product.url));
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await recording?.close();
  await product?.stop();
});

const watches: ConsoleWatch[] = [];
/**
 * Functions that wait until the live channel of a window is open. The channel does not report changes before that time.
 */
const lives = new WeakMap<Page, () => Promise<void>>();
async function windowOf(token?: string): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token });
  watches.push(new ConsoleWatch(context));
  const page = await context.newPage();
  lives.set(page, await trackLiveChannel(page));
  return page;
}
const expectSilence = () => watches.forEach((watch) => watch.expectNoProblems());
const at = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
  await lives.get(page)?.();
};

describe('a new community thread', () => {
  it('has a preview, waits behind a pill in another window and has one address', async () => {
    // Anna signed up long ago, because new members must wait before they may write.
    const anna = await recording.member({ displayName: 'Anna' });
    const [writer, visitor] = await Promise.all([windowOf(anna.token), windowOf()]);
    await at(visitor, '/community/us/nv/henderson');
    const expectNoReload = await watchForReload(visitor);
    await at(writer, '/community/us/nv/henderson');
    await main(writer).getByRole('link', { name: 'Start a thread' }).first().click();
    const form = writer.getByRole('form', { name: 'Start a thread' });
    await form.getByRole('textbox', { name: 'Title' }).fill('A first walk by the water');
    await form.getByRole('textbox', { name: 'Text' }).fill('Who knows **quiet** paths?');
    await form.getByRole('button', { name: 'Preview' }).click();
    await form.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: 'quiet' }).waitFor();
    await form.getByRole('button', { name: 'Start a thread' }).click();
    await headingOf(writer).filter({ hasText: 'A first walk by the water' }).waitFor();
    await writer.waitForURL(/\/community\/us\/nv\/henderson\/a-first-walk-by-the-water-[0-9a-z]{10}$/u);
    await postOf(writer, 0).locator('strong', { hasText: 'quiet' }).waitFor();

    await visitor.getByRole('button', { name: '1 new' }).click();
    await main(visitor).getByRole('link', { name: 'A first walk by the water' }).click();
    await headingOf(visitor).filter({ hasText: 'A first walk by the water' }).waitFor();
    await main(visitor).getByRole('link', { name: 'Henderson' }).first().waitFor();
    await expectNoReload();
    expectSilence();
  });
});
