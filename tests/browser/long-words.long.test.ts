import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient, type ApiClient, type ApiResponse } from '../support/api-client.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf, SCREENS } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';
import { waitForReadModels } from '../support/threads.ts';

/**
 * Opens every page while all texts consist of one long word. No text may be wider than the page or than the part of the
 * page that contains it. A long word must not hide a text from a moderator.
 */
const WIDTHS_px = [1280, 768, 360] as const;
const word = (length = 300) => 'W'.repeat(length);

let product: TestProduct;
let browser: Browser;
let client: ApiClient;
let world: World;
let caseId: string;
let decisionId: string;
let visibleAdId: string;
let threadPath: string;
const ARTICLE_SLUG = 'one-long-word';

async function call(visitor: Visitor, method: string, path: string, body?: unknown): Promise<ApiResponse> {
  const token = world.tokenOf(visitor);
  const response = await client.call(method, path, { ...(token !== undefined && { token }), body });
  expect(response.status, `${method} ${path}: ${JSON.stringify(response.body)}`).toBeLessThan(300);
  return response;
}

/** Creates a thread, a report, a decision with an appeal and a review, each with long words. */
beforeAll(async () => {
  product = await startTestProduct();
  client = createApiClient(product.url);
  const fields = {
    name: word(60),
    title: word(120),
    description: word(),
    body: word(),
    price: word(40),
    socialMedia: { website: `https://example.com/${word(150)}` },
  };
  world = await populate(product.url, fields);
  const posted = await client.postAd(world.people.newcomer.token, { ...fields, state: 'NV', city: 'Reno' });
  visibleAdId = posted.id;
  await call('client', 'POST', `/api/favorites`, { adId: visibleAdId });
  await call('client', 'POST', `/api/ads/${visibleAdId}/reviews`, { name: word(60), comment: word(), rating: 4 });
  const markdown = `${word()}\n\n> ${word()}\n\n- ${word()}\n\n\`${word()}\``;
  const thread = await call('admin', 'POST', '/api/community/threads', {
    state: 'NV',
    city: 'Reno',
    title: word(100),
    body: markdown,
  });
  threadPath = (thread.body['data'] as { path: string }).path;
  await call('admin', 'POST', '/api/admin/blog/articles', {
    slug: ARTICLE_SLUG,
    title: word(100),
    summary: word(150),
    body: markdown,
    tags: [word(20)],
    cover: null,
  });
  await call('admin', 'POST', `/api/admin/blog/articles/${ARTICLE_SLUG}/publish`, {});
  await call('admin', 'POST', '/api/admin/rules', {
    title: word(80),
    phrases: [word(60)],
    rule: 'contact',
    facts: word(),
  });
  caseId = `ad-${world.ad.id}`;
  const casePath = `/api/admin/moderation/cases/${caseId}`;
  await call('client', 'POST', '/api/reports', {
    subject: { kind: 'ad', id: world.ad.id },
    reason: 'spam',
    text: word(),
  });
  await call('moderator', 'POST', `${casePath}/claim`, {});
  const decided = await call('moderator', 'POST', `${casePath}/decide`, {
    outcome: 'hidden',
    rule: 'spam',
    facts: word(),
  });
  decisionId = (decided.body['data'] as { decisionId: string }).decisionId;
  await waitForReadModels(product.url);
  await call('provider', 'POST', `/api/account/decisions/${decisionId}/appeal`, { text: word() });
  await call('provider', 'PUT', '/api/auth/profile', { displayName: word(60) });
  await call('client', 'PUT', '/api/auth/profile', { displayName: word(60) });
  await call('admin', 'POST', `${casePath}/claim`, {});
  await waitForReadModels(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

/**
 * Returns a description of each text that is wider than the page or than an element around it. A text in an element
 * that scrolls or cuts its content is inside this element.
 */
function findWideTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    // The width of a text column depends on its font, which a busy machine loads late.
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // The browser does not update the layout of invisible parts that it does not render.
    for (const part of document.querySelectorAll<HTMLElement>('main *'))
      if (getComputedStyle(part).contentVisibility === 'auto') part.style.contentVisibility = 'visible';
    const wide: string[] = [];
    const range = document.createRange();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!node.textContent?.trim()) continue;
      range.selectNodeContents(node);
      const right = Math.max(...[...range.getClientRects()].map((rect) => rect.right));
      let found: string | undefined;
      for (let element = node.parentElement; element !== null; element = element.parentElement) {
        const { display, overflowX, position } = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        if (position === 'absolute' || display === 'none' || (overflowX !== 'visible' && element !== document.body)) {
          // A text for screen readers only is in an element of one pixel.
          if (box.width <= 1) found = undefined;
          break;
        }
        if (/^(?:inline|contents)$/u.test(display)) continue;
        const end = element === document.body ? document.documentElement.clientWidth : box.right;
        if (right <= end + 1) continue;
        const name = `${element.tagName.toLowerCase()}.${element.className}`;
        found ??= `${node.textContent.trim().slice(0, 30)} in ${name}: ${Math.round(right)} > ${Math.round(end)}`;
      }
      if (found !== undefined) wide.push(found);
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...wide, `the page: ${scrollWidth} > ${clientWidth}`] : wide;
  });
}

const moderated: readonly (readonly [visitor: Visitor, path: () => string])[] = [
  ['admin', () => `/admin/moderation/cases/${caseId}`],
  ['moderator', () => `/admin/moderation/cases/${caseId}`],
  ['moderator', () => '/admin/moderation?state=appeals'],
  ['admin', () => '/admin/users'],
  ['admin', () => `/admin/users/${world.people.provider.user.id}`],
  ['admin', () => '/admin/ads'],
  ['admin', () => `/admin/ads/${world.ad.id}`],
  ['admin', () => `/admin/users/${world.people.provider.user.id}/history`],
  ['admin', () => '/admin/log'],
  ['admin', () => '/admin/rules'],
  ['admin', () => '/admin/blog'],
  ['admin', () => threadPath],
  ['guest', () => threadPath],
  ['guest', () => `/blog/${ARTICLE_SLUG}`],
  ['provider', () => `/account/decisions/${decisionId}`],
  ['provider', () => `/ad/${world.ad.id}`],
  ['guest', () => `/ad/${visibleAdId}`],
  ['client', () => `/ad/${visibleAdId}`],
  ['client', () => '/favorites'],
  ['guest', () => `/listings?q=${word()}`],
  ['guest', () => `/listings?q=${word(90)}`],
];
const screens = SCREENS.flatMap(({ path, checkedRoles = ['guest'] }) =>
  checkedRoles.map((role) => [role as Visitor, () => path(world)] as const),
);

test('a word of 300 characters is inside of its part of every page at 360, 768 and 1280 px', async () => {
  const wide: string[] = [];
  for (const visitor of ['guest', 'client', 'provider', 'moderator', 'admin'] as const) {
    const context = await openVisitor(browser, product.url, { token: world.tokenOf(visitor) });
    const page = await context.newPage();
    for (const [by, path] of [...moderated, ...screens]) {
      if (by !== visitor) continue;
      await page.goto(path());
      await headingOf(page).first().waitFor();
      // A page is loaded once for all widths, because loading takes most of the time.
      for (const width of WIDTHS_px) {
        await page.setViewportSize({ width, height: 800 });
        await page.waitForLoadState('networkidle');
        wide.push(...(await findWideTexts(page)).map((text) => `${visitor} ${path()} at ${width} px: ${text}`));
      }
    }
    await context.close();
  }
  expect(wide).toEqual([]);
});
