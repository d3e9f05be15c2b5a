import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedBrowser, withVisitor } from '../support/browser.ts';
import { ARTICLE, populate, type Visitor, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';

/** The content security policy with Trusted Types. */

let product: TestProduct;
let browser: Browser;
let world: World;
beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(() => product?.stop());

/** Opens the page of a visitor. The list `problems` receives every error in the console of the browser. */
async function withPage(visitor: Visitor, use: (page: Page, problems: readonly string[]) => Promise<void>) {
  await withVisitor(browser, product.url, { token: world.tokenOf(visitor) }, async (context) => {
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    await use(page, problems);
  });
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await headingOf(page).first().waitFor();
}

test('a guest sees the pages of all remotes, and contact details, without a violation', async () => {
  await withPage('guest', async (page, problems) => {
    for (const path of ['/', '/listings', '/community', world.thread.path, '/blog', `/blog/${ARTICLE.slug}`, '/login'])
      await open(page, path);
    await open(page, `/ad/${world.ad.id}`);
    await page.getByRole('button', { name: 'Show contact' }).first().click();
    await page
      .getByRole('link', { name: /555.?0100/u })
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });
});

test('text with markup is shown as markup', async () => {
  await withPage('guest', async (page, problems) => {
    await open(page, world.thread.path);
    await page.locator('em', { hasText: 'river' }).waitFor();
    expect(problems).toEqual([]);
  });
});

test('a provider uploads a large photo, which a worker scales down, without a violation', async () => {
  await withPage('newcomer', async (page, problems) => {
    const workers: string[] = [];
    page.on('worker', (worker) => workers.push(worker.url()));
    await open(page, '/post-ad');
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const picture = sharp({ create: { width: 2_400, height: 1_800, channels: 3, background: 'gray', noise } });
    const buffer = await picture.jpeg({ quality: 95 }).toBuffer();
    await Promise.all([
      page.waitForResponse('**/api/uploads/photos'),
      page.locator('input[type=file]').first().setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer }),
    ]);
    expect(workers).toEqual([expect.stringMatching(/^blob:/u)]);
    expect(problems).toEqual([]);
  });
});

test('an admin opens the panel without a violation', async () => {
  await withPage('admin', async (page, problems) => {
    for (const path of ['/admin', '/admin/moderation']) await open(page, path);
    expect(problems).toEqual([]);
  });
});

test('a text does not become HTML, a script or a worker', async () => {
  await withPage('guest', async (page) => {
    await open(page, '/');
    const thrown = await page.evaluate(() => {
      const nameOf = (action: () => void) => {
        try {
          action();
          return 'none';
        } catch (error) {
          return error instanceof Error ? error.name : 'unknown';
        }
      };
      return {
        html: nameOf(() => (document.createElement('div').innerHTML = '<img src="x">')),
        script: nameOf(() => (document.createElement('script').src = '/assets/other.js')),
        worker: nameOf(() => void new Worker('/assets/other.js')),
        policy: nameOf(() => {
          const { trustedTypes } = globalThis as unknown as { trustedTypes: { createPolicy(name: string): unknown } };
          trustedTypes.createPolicy('another');
        }),
      };
    });
    expect(thrown).toEqual({ html: 'TypeError', script: 'TypeError', worker: 'TypeError', policy: 'TypeError' });
  });
});
