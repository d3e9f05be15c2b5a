import type { ResponseOf } from '@alpenglow/domain';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ApiClient } from './api-client.ts';
import { eventually } from './eventually.ts';

/** Locators and actions of the community pages. */

export const main = (page: Page) => page.getByRole('main');
/** Returns the locator of a toast or another status message that contains `text`. */
export const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first();

/** Returns the locator of a post by its number. The text of the post may not be loaded yet. */
export const postOf = (page: Page, number: number) => page.locator(`article#post-${number}`);
export const replyForm = (page: Page) => page.getByRole('form', { name: 'Reply' });
export const replyText = (page: Page) => replyForm(page).getByRole('textbox', { name: 'Your reply' });
export const sendReply = (page: Page) => replyForm(page).getByRole('button', { name: 'Send reply' });

export async function writeReply(page: Page, body: string): Promise<void> {
  await replyText(page).fill(body);
  await sendReply(page).click();
}

/** Chooses an action from the menu of a post. */
export async function choosePostAction(page: Page, number: number, choice: string): Promise<void> {
  await postOf(page, number)
    .getByRole('button', { name: `More actions for post ${number}` })
    .click();
  await postOf(page, number).getByRole('button', { name: choice, exact: true }).click();
}

/** Chooses an action from the moderator menu of a thread. */
export async function chooseModeratorAction(page: Page, choice: string): Promise<void> {
  await main(page).getByRole('button', { name: 'Moderate' }).click();
  await main(page).getByRole('button', { name: choice, exact: true }).click();
}

/** Returns the titles of a list of threads, in order. */
export const titlesIn = (page: Page) => main(page).getByRole('article').getByRole('heading').allTextContents();

/**
 * Returns the widths of the page content and the window in CSS pixels. If the content is wider, the page scrolls
 * sideways.
 */
export const pageWidths = (page: Page) =>
  page.evaluate(() => ({ content: document.documentElement.scrollWidth, window: innerWidth }));

/** Marks the current page. Returns a function that fails if a reload has removed the mark. */
export async function watchForReload(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => Object.assign(globalThis, { isMarked: true }));
  return async () =>
    expect(await page.evaluate(() => 'isMarked' in globalThis), 'the page was not reloaded').toBe(true);
}

/**
 * Waits until every read model has processed all events that are stored now. A read request that names the position of
 * a write would wait only for a limited time.
 */
export async function waitForRead(api: ApiClient): Promise<void> {
  await eventually(async () => {
    const { projections } = (await api.call('POST', '/api/sync/force')).body['data'] as ResponseOf<'forceSync'>['data'];
    const behind = projections.filter(({ state }) => state !== 'live').map(({ name }) => name);
    if (behind.length > 0) throw new Error(`${behind.join(', ')} are behind`);
  });
}
