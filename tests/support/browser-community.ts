import type { SyncAnswer } from '@alpenglow/domain';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ApiClient, Answer } from './api-client.ts';
import { eventually } from './eventually.ts';

/** What stands where in the community's pages, as somebody finds it. */

export const main = (page: Page) => page.getByRole('main');
/** A toast, or whatever else says that something is done. */
export const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notifications' }).getByText(text).first();

/** A post by its number, whether its words are there or not. */
export const postOf = (page: Page, number: number) => page.locator(`article#post-${number}`);
export const replyForm = (page: Page) => page.getByRole('form', { name: 'Reply' });
export const replyText = (page: Page) => replyForm(page).getByRole('textbox', { name: 'Your reply' });
export const sendReply = (page: Page) => replyForm(page).getByRole('button', { name: 'Send reply' });

export async function writeReply(page: Page, body: string): Promise<void> {
  await replyText(page).fill(body);
  await sendReply(page).click();
}

/** Chooses from the menu of a post. */
export async function chooseOfPost(page: Page, number: number, choice: string): Promise<void> {
  await postOf(page, number)
    .getByRole('button', { name: `More about post ${number}` })
    .click();
  await postOf(page, number).getByRole('button', { name: choice, exact: true }).click();
}

/** Chooses from the moderators' menu of a thread. */
export async function moderate(page: Page, choice: string): Promise<void> {
  await main(page).getByRole('button', { name: 'Moderate' }).click();
  await main(page).getByRole('button', { name: choice, exact: true }).click();
}

/** The titles of a list of threads, in their order. */
export const titlesIn = (page: Page) => main(page).getByRole('article').getByRole('heading').allTextContents();

/** The widths of a page's content and of its window, in CSS pixels. */
export const widths = (page: Page) =>
  page.evaluate(() => ({ content: document.documentElement.scrollWidth, window: innerWidth }));

/** Fails when the page is loaded anew from here on. */
export async function withoutReload(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => Object.assign(globalThis, { isMarked: true }));
  return async () =>
    expect(await page.evaluate(() => 'isMarked' in globalThis), 'the page has not been loaded anew').toBe(true);
}

/** Answers once every read shows what a write has answered. */
export async function untilRead(api: ApiClient, { headers }: Pick<Answer, 'headers'>): Promise<void> {
  await untilPosition(api, headers.get('x-position') ?? '');
}

/** Answers once every read model has come as far as a position: a read itself waits two seconds at most. */
export async function untilPosition(api: ApiClient, position: string): Promise<void> {
  await eventually(async () => {
    const { projections } = (await api.call('GET', '/api/sync/status')).body['data'] as SyncAnswer['data'];
    // Positions are ordered as text.
    const behind = projections.filter((one) => one.position < position).map(({ name }) => name);
    if (behind.length > 0) throw new Error(`${behind.join(', ')} not at ${position}`);
  });
}
