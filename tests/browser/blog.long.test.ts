import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { openVisitor, sharedBrowser } from '../support/browser.ts';
import { main, notice, waitForRead } from '../support/browser-community.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { injectFailure, noConnection, noResponse } from '../support/browser-failures.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { headingOf } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

const DAY_ms = 24 * 60 * 60_000;
/**
 * Maximum time from filling in the form until its request arrives. The chosen publication time must be later than that.
 */
const TIME_TO_CHOOSE_ms = 45_000;

/**
 * An admin writes articles in one window, and visitors read them in other windows. The blog starts with demo articles.
 */
let product: TestProduct;
let browser: Browser;
let api: ApiClient;
let admin: Person;
beforeAll(async () => {
  product = await startTestProduct({ isDemo: true, adminEmail: 'admin@example.com' });
  api = apiClient(product.url);
  admin = await api.signUp('client', { email: 'admin@example.com' });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

const contexts: BrowserContext[] = [];
let watches: ConsoleWatch[] = [];
beforeEach(() => {
  watches = [];
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});

async function windowOf(person: Person | null, allowed: readonly RegExp[] = []): Promise<Page> {
  const context = await openVisitor(browser, product.url, { token: person?.token });
  contexts.push(context);
  watches.push(new ConsoleWatch(context, allowed));
  return context.newPage();
}
const expectSilence = () => watches.forEach((watch) => watch.expectNoProblems());
const at = async (page: Page, address: string) => {
  await page.goto(address);
  await headingOf(page).first().waitFor();
};
const field = (page: Page, name: string) => main(page).getByRole('textbox', { name, exact: true });
const press = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true }).click();
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const textOf = async (path: string) => (await fetch(`${product.url}${path}`)).text();

/** Returns a unique title and its slug. */
function newArticle(about: string): { readonly title: string; readonly slug: string } {
  const mark = randomUUID().slice(0, 8);
  return { title: `${about} ${mark}`, slug: `${about.toLowerCase().replaceAll(' ', '-')}-${mark}` };
}

/** Fills in the form of a new article and saves it as a draft. */
async function draft(page: Page, title: string, body: string): Promise<void> {
  await at(page, '/admin/blog/new');
  await field(page, 'Title').fill(title);
  await field(page, 'Summary').fill('What to look at before a first evening.');
  await field(page, 'Text').fill(body);
  await press(page, 'Save draft');
  await notice(page, 'Draft saved').waitFor();
  await headingOf(page).filter({ hasText: 'Edit article' }).waitFor();
}

async function publish(page: Page): Promise<void> {
  await press(page, 'Publish…');
  await dialog(page, 'Publish this article?').getByRole('button', { name: 'Publish now' }).click();
  await notice(page, 'Article published').waitFor();
}

/** Returns for each list, feed and search whether it contains an article. */
async function visibilityOf(title: string, slug: string): Promise<Readonly<Record<string, boolean>>> {
  const [list, rss, atom, sitemap, search, first] = await Promise.all([
    textOf('/api/blog/articles'),
    textOf('/blog/rss.xml'),
    textOf('/blog/atom.xml'),
    sitemapText(),
    textOf(`/api/search?q=${encodeURIComponent(title)}`),
    textOf('/blog'),
  ]);
  return {
    list: list.includes(slug),
    rss: rss.includes(title),
    atom: atom.includes(title),
    sitemap: sitemap.includes(`/blog/${slug}`),
    search: search.includes(slug),
    firstHtml: first.includes(slug),
  };
}
const visibility = (is: boolean) => ({ list: is, rss: is, atom: is, sitemap: is, search: is, firstHtml: is });

/** Returns the text of the sitemap. If the sitemap is an index, the text includes all sitemaps of the index. */
async function sitemapText(): Promise<string> {
  const text = await textOf('/sitemap.xml');
  const parts = [...text.matchAll(/<loc>([^<]+\.xml[^<]*)<\/loc>/gu)].map(
    ([, address = '']) => new URL(address.replaceAll('&amp;', '&')),
  );
  return [text, ...(await Promise.all(parts.map(({ pathname, search }) => textOf(`${pathname}${search}`))))].join('\n');
}

describe('an article', () => {
  it('has a preview and a cover and is published nowhere until an admin publishes it', async () => {
    const { title, slug } = newArticle('A first evening');
    const [editor, visitor] = await Promise.all([
      windowOf(admin),
      windowOf(null, [/\/blog\/a-first-evening/u, /\/api\/blog\/articles\//u]),
    ]);
    await at(editor, '/admin/blog');
    await main(editor).getByRole('link', { name: 'New article' }).click();
    await headingOf(editor).filter({ hasText: 'New article' }).waitFor();
    await field(editor, 'Title').fill(title);
    await expect.poll(() => field(editor, 'Article URL').inputValue()).toBe(slug);
    await field(editor, 'Summary').fill('What to look at before a first evening.');
    await main(editor)
      .getByRole('combobox', { name: /^State/u })
      .selectOption('NV');
    await main(editor).getByRole('combobox', { name: /^City/u }).selectOption('Reno');
    await main(editor).getByRole('button', { name: '+ safety' }).click();
    await field(editor, 'Text').fill(
      '## Before you go\n\nTell a friend **where** you are.\n\n<img src=x onerror="globalThis.isStolen = true">',
    );
    const preview = main(editor).getByRole('region', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Before you go' }).waitFor();
    await preview.locator('strong', { hasText: 'where' }).waitFor();
    expect([await preview.locator('img').count(), await editor.evaluate(() => 'isStolen' in globalThis)]).toEqual([
      0,
      false,
    ]);
    await main(editor)
      .locator('input[type=file]')
      .setInputFiles({ name: 'cover.jpg', mimeType: 'image/jpeg', buffer: await pictures.jpeg(1600, 900) });
    await main(editor).getByRole('button', { name: 'Choose another' }).waitFor();

    // The unsaved draft is restored after a reload.
    await editor.reload();
    await main(editor).getByText('Your unsaved changes were restored').waitFor();
    await expect
      .poll(async () => [
        await field(editor, 'Title').inputValue(),
        await main(editor).getByRole('combobox', { name: /^City/u }).inputValue(),
      ])
      .toEqual([title, 'Reno']);
    await press(editor, 'Save draft');
    await notice(editor, 'Draft saved').waitFor();
    await editor.waitForURL(`**/admin/blog/${slug}`);
    await editor.reload();
    await expect
      .poll(async () => [await field(editor, 'Title').inputValue(), await field(editor, 'Text').inputValue()])
      .toEqual([title, expect.stringContaining('Tell a friend')]);
    await main(editor).getByRole('img', { name: 'Selected cover picture' }).waitFor();
    expect(await main(editor).getByText('Your unsaved changes were restored').count()).toBe(0);

    await at(visitor, '/blog');
    expect(await visitor.getByText(title).count()).toBe(0);
    await at(visitor, `/blog/${slug}`);
    await headingOf(visitor).filter({ hasText: 'Article not found' }).waitFor();
    expect(await visibilityOf(title, slug)).toEqual(visibility(false));

    await publish(editor);
    await expect.poll(() => visibilityOf(title, slug), { interval: 1_000 }).toEqual(visibility(true));
    for (const address of ['/blog', '/blog?tag=safety', '/blog/reno']) {
      await at(visitor, address);
      await main(visitor).getByRole('link', { name: title }).first().waitFor();
    }
    // No thread matches, so the line below a search for ads names only the article.
    await at(visitor, `/listings?q=${encodeURIComponent(title)}`);
    const foundElsewhere = main(visitor).getByText('Also in the community and the blog:');
    await foundElsewhere.waitFor();
    expect(await foundElsewhere.getByRole('link').allTextContents()).toEqual(['1 article']);
    await at(visitor, '/blog/reno');
    await main(visitor).getByRole('link', { name: title }).first().click();
    await headingOf(visitor).filter({ hasText: title }).waitFor();
    await main(visitor).getByRole('heading', { name: 'Before you go' }).waitFor();
    await main(visitor).getByText('1 min read').first().waitFor();
    await expect
      .poll(() =>
        visitor
          .locator('main article header img')
          .first()
          .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0),
      )
      .toBe(true);
    expectSilence();
  });

  it('shows the progress of its cover, which can be cancelled', async () => {
    const page = await windowOf(admin);
    await at(page, '/admin/blog/new');
    const held = await injectFailure(page, 'POST /api/uploads/photos', noResponse);
    const input = main(page).locator('input[type=file]');
    expect(await input.getAttribute('accept')).not.toMatch(/[*]|hei[cf]/u);
    await input.setInputFiles({ name: 'cover.jpg', mimeType: 'image/jpeg', buffer: await pictures.jpeg(320, 180) });
    await main(page).getByRole('progressbar', { name: 'Upload progress of the picture' }).waitFor();
    await main(page)
      .getByText(/^\d+%$/u)
      .waitFor();
    await main(page).getByRole('button', { name: 'Cancel', exact: true }).click();
    await main(page).getByRole('button', { name: 'Choose a picture' }).waitFor();
    expect(await main(page).getByRole('progressbar').count()).toBe(0);
    await held.remove();
    expectSilence();
  });

  it('continues the upload of its cover after a lost connection', async () => {
    const page = await windowOf(admin, [/net::ERR_/u]);
    await at(page, '/admin/blog/new');
    const uploads: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/uploads/')) uploads.push(`${request.method()} ${pathname}`);
    });
    // A file of 2 MB or more is sent in a resumable upload.
    const buffer = await pictures.large();
    // HEAD fails too. If only PATCH failed, the client would assume that a network blocks it, and send one request.
    const lost = [
      await injectFailure(page, 'PATCH /api/uploads/resumable/*', noConnection),
      await injectFailure(page, 'HEAD /api/uploads/resumable/*', noConnection),
    ];
    await main(page).locator('input[type=file]').setInputFiles({ name: 'cover.jpg', mimeType: 'image/jpeg', buffer });
    await main(page).getByText('Waiting for the connection…').waitFor();
    for (const failure of lost) await failure.remove();
    await main(page).getByRole('button', { name: 'Choose another' }).waitFor();
    expect(uploads.filter((request) => request.startsWith('POST ') && !request.endsWith('/finish'))).toEqual([
      'POST /api/uploads/resumable/photos',
    ]);
    expect(uploads.some((request) => request.startsWith('HEAD '))).toBe(true);
    expectSilence();
  });

  it('is stored in the browser as soon as a new cover is shown, so a reload does not lose it', async () => {
    const page = await windowOf(admin);
    await at(page, '/admin/blog/new');
    // A mutation observer reads the stored draft at the moment when the cover appears.
    const draftWhenShown = page.evaluate(
      (label) =>
        new Promise<string>((resolve) => {
          const checkPage = () => {
            if ([...document.querySelectorAll('button')].some(({ textContent }) => textContent === label))
              resolve(JSON.stringify({ ...localStorage }));
          };
          new MutationObserver(checkPage).observe(document, { subtree: true, childList: true, characterData: true });
        }),
      'Choose another',
    );
    await main(page)
      .locator('input[type=file]')
      .setInputFiles({ name: 'cover.jpg', mimeType: 'image/jpeg', buffer: await pictures.jpeg(320, 180) });
    expect(await draftWhenShown).toContain('/uploads/photos/');
    expectSilence();
  });

  it('shows its cover when the variants are ready, however long that takes', async () => {
    const { title, slug } = newArticle('Slow picture');
    const page = await windowOf(admin, [/\/uploads\/photos\//u]);
    await at(page, '/admin/blog/new');
    await field(page, 'Title').fill(title);
    await field(page, 'Summary').fill('What takes its time.');
    await field(page, 'Text').fill('Words.');
    await main(page)
      .locator('input[type=file]')
      .setInputFiles({ name: 'cover.jpg', mimeType: 'image/jpeg', buffer: await pictures.jpeg(640, 360) });
    await main(page).getByRole('button', { name: 'Choose another' }).waitFor();
    const cover = main(page).getByRole('img', { name: 'Selected cover picture' });
    const isLoaded = () => cover.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);

    // Before the article is saved, the variants of the cover may not exist yet. The first two requests for the variants
    // fail.
    let missingVariants = 0;
    await page.route('**/uploads/photos/**', (route) =>
      (missingVariants += 1) <= 2
        ? route.fulfill({ status: 503, headers: { 'Retry-After': '2', 'Cache-Control': 'no-store' } })
        : route.continue(),
    );
    await page.reload();
    await main(page).getByText('Your unsaved changes were restored').waitFor();
    await cover.waitFor();
    await expect.poll(isLoaded).toBe(true);
    expect(missingVariants).toBeGreaterThan(2);

    await press(page, 'Save draft');
    await page.waitForURL(`**/admin/blog/${slug}`);
    await headingOf(page).filter({ hasText: 'Edit article' }).waitFor();
    // After the article is saved, the first two responses state that the cover is still being processed.
    let requestCount = 0;
    await page.route(`**/api/admin/blog/articles/${slug}`, async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { readonly data: Readonly<Record<string, unknown>> };
      const processing = { ...data, cover: { ...(data['cover'] as object), status: 'processing' } };
      await route.fulfill({ response, json: { ...rest, data: (requestCount += 1) <= 2 ? processing : data } });
    });
    await page.reload();
    await cover.waitFor();
    await expect.poll(isLoaded).toBe(true);
    expect(requestCount).toBeGreaterThan(2);
    await page.unrouteAll({ behavior: 'wait' });
    expectSilence();
  });

  it('is published at its scheduled time', async () => {
    const { title, slug } = newArticle('Later today');
    const page = await windowOf(admin);
    await draft(page, title, 'Words of a later hour.');
    await press(page, 'Schedule…');
    const scheduling = dialog(page, 'Schedule this article');
    const time = scheduling.getByLabel('Date and time');
    await time.fill('2020-01-01T08:00');
    await scheduling.getByRole('button', { name: 'Schedule', exact: true }).click();
    await scheduling.getByText('Please choose a time in the future').waitFor();
    // The time is one day away, so that the checks before the publication have enough time.
    await time.fill(await minuteAfter(page, DAY_ms));
    await scheduling.getByRole('button', { name: 'Schedule', exact: true }).click();
    await notice(page, 'Article scheduled').waitFor();
    await main(page)
      .getByText(/^Scheduled for /u)
      .waitFor();
    expect(await visibilityOf(title, slug)).toEqual(visibility(false));
    await press(page, 'Reschedule…');
    await time.fill(await minuteAfter(page, TIME_TO_CHOOSE_ms));
    await scheduling.getByRole('button', { name: 'Schedule', exact: true }).click();
    await scheduling.waitFor({ state: 'detached' });
    await expect.poll(() => visibilityOf(title, slug), { interval: 1_000 }).toEqual(visibility(true));
    expectSilence();
  });

  it('states its language, which differs from the language of the page', async () => {
    const { title, slug } = newArticle('Ein ruhiger Abend');
    const [editor, visitor] = await Promise.all([windowOf(admin), windowOf(null)]);
    await at(editor, '/admin/blog/new');
    await main(editor).getByRole('combobox', { name: 'Language' }).selectOption('de');
    await field(editor, 'Title').fill(title);
    await field(editor, 'Summary').fill('Was vorher hilft.');
    await field(editor, 'Text').fill('Rufen Sie vorher an.');
    await press(editor, 'Save draft');
    await notice(editor, 'Draft saved').waitFor();
    await headingOf(editor).filter({ hasText: 'Edit article' }).waitFor();
    expect(await main(editor).getByRole('combobox', { name: 'Language' }).inputValue()).toBe('de');
    await publish(editor);
    await waitForRead(api);

    const languageOf = (page: Page, text: string) =>
      main(page)
        .getByText(text, { exact: true })
        .last()
        .evaluate((element) => element.closest('[lang]')?.getAttribute('lang'));
    const texts = [title, 'Was vorher hilft.'];
    await at(visitor, '/blog');
    await main(visitor).getByRole('link', { name: title }).waitFor();
    for (const text of texts) expect(await languageOf(visitor, text), `${text} in the list`).toBe('de');
    expect(await languageOf(visitor, 'Blog'), 'other texts').toBe('en');
    await at(visitor, `/blog/${slug}`);
    for (const text of [...texts, 'Rufen Sie vorher an.'])
      expect(await languageOf(visitor, text), `${text} on the page`).toBe('de');
    expect(await textOf(`/blog/${slug}`)).toContain('"inLanguage":"de"');
    await at(visitor, `/community?q=${encodeURIComponent(title)}`);
    await main(visitor).getByRole('link', { name: title }).waitFor();
    expect(await languageOf(visitor, 'Was vorher hilft.').catch(() => null), 'a search result').toBe('de');
    expectSilence();
  });

  it('shows readers the note of a correction and disappears completely when it is withdrawn', async () => {
    const { title, slug } = newArticle('A list of numbers');
    const [editor, visitor] = await Promise.all([
      windowOf(admin),
      windowOf(null, [/\/blog\/a-list-of-numbers/u, /\/api\/blog\/articles\//u]),
    ]);
    await draft(editor, title, 'Call before eight.');
    await publish(editor);
    await waitForRead(api);
    await at(visitor, `/blog/${slug}`);
    await main(visitor).getByText('Call before eight.').waitFor();

    await field(editor, 'Text').fill('Call before nine.');
    await press(editor, 'Correct…');
    const correction = dialog(editor, 'Correct this article');
    await correction.getByRole('button', { name: 'Publish correction' }).click();
    await correction.getByText('Please fill in this field').waitFor();
    await correction.getByRole('textbox', { name: 'What changed' }).fill('The hour was wrong.');
    await correction.getByRole('button', { name: 'Publish correction' }).click();
    await notice(editor, 'Article corrected').waitFor();
    // A cached page may be up to one second old, so the page is loaded until it shows the correction.
    await expect
      .poll(async () => {
        await at(visitor, `/blog/${slug}`);
        return main(visitor).getByText('Call before nine.').count();
      })
      .toBe(1);
    await main(visitor).getByRole('region', { name: 'Corrections' }).getByText('The hour was wrong.').waitFor();
    await expect.poll(() => visibilityOf(title, slug), { interval: 1_000 }).toEqual(visibility(true));

    await press(editor, 'Withdraw…');
    await dialog(editor, 'Withdraw this article?').getByRole('button', { name: 'Withdraw' }).click();
    await notice(editor, 'Article withdrawn').waitFor();
    await expect.poll(() => visibilityOf(title, slug), { interval: 1_000 }).toEqual(visibility(false));
    // If the server does not read the article in time, it responds with status 200, so the request is repeated.
    await expect.poll(async () => (await fetch(`${product.url}/blog/${slug}`)).status).toBe(404);
    await at(visitor, `/blog/${slug}`);
    await headingOf(visitor).filter({ hasText: 'Article not found' }).waitFor();
    await main(visitor).getByRole('link', { name: 'All articles' }).click();
    await headingOf(visitor).filter({ hasText: 'Blog' }).waitFor();
    expect(await visitor.getByText(title).count()).toBe(0);
    expectSilence();
  });

  it.each([
    ['Keep mine', 'The words of the second.'],
    ['Load their version', 'The words of the first.'],
  ])('offers a choice when two windows have changed it: %s', async (choice, expectedText) => {
    const { title, slug } = newArticle('Two at once');
    const [first, second] = await Promise.all([windowOf(admin), windowOf(admin, [/\/api\/admin\/blog\/articles\//u])]);
    await draft(first, title, 'The words before.');
    await at(second, `/admin/blog/${slug}`);
    await field(second, 'Text').fill('The words of the second.');
    await field(first, 'Text').fill('The words of the first.');
    await press(first, 'Save draft');
    // The notice “Draft saved” of the first save is still shown.
    await first.getByRole('region', { name: 'Notifications' }).getByText('Saved', { exact: true }).waitFor();
    await press(second, 'Save draft');
    const conflict = dialog(second, 'Someone else has changed this article');
    await conflict.waitFor();
    expect(await storedText(slug), 'nothing is overwritten before the admin chooses').toBe('The words of the first.');
    await conflict.getByRole('button', { name: choice }).click();
    await conflict.waitFor({ state: 'detached' });
    await expect.poll(() => field(second, 'Text').inputValue()).toBe(expectedText);
    await expect.poll(() => storedText(slug)).toBe(expectedText);
    expectSilence();
  });
});

describe('the article editor', () => {
  it('redirects everyone who is not an admin', async () => {
    const client = await windowOf(await api.signUp('client'));
    const guest = await windowOf(null);
    for (const address of ['/admin/blog', '/admin/blog/new']) {
      await client.goto(address);
      await client.waitForURL(`${product.url}/`);
      await guest.goto(address);
      await main(guest)
        .getByText(/Account Required|Login/u)
        .first()
        .waitFor();
      expect(await guest.getByRole('link', { name: 'New article' }).count()).toBe(0);
    }
    expectSilence();
  });

  it('reports a missing title, rejects a used address and preserves the text', async () => {
    const { title, slug } = newArticle('Taken already');
    const response = await api.call('POST', '/api/admin/blog/articles', {
      token: admin.token,
      body: { title, summary: 'Here first.', body: 'Here first.' },
    });
    expect(response.status).toBe(201);
    await waitForRead(api);
    const page = await windowOf(admin, [/\/api\/admin\/blog\/articles/u]);
    await at(page, '/admin/blog/new');
    await press(page, 'Save draft');
    await main(page).getByText('Please check the highlighted fields').waitFor();
    await field(page, 'Title').fill('Another title');
    await field(page, 'Article URL').fill(slug);
    await field(page, 'Summary').fill('Here second.');
    await field(page, 'Text').fill('Words that must not be lost.');
    await press(page, 'Save draft');
    await main(page).getByText('Another article already uses this address').first().waitFor();
    expect(await field(page, 'Text').inputValue()).toBe('Words that must not be lost.');
    expectSilence();
  });
});

/** Returns the text of an article that the server has stored. */
async function storedText(slug: string): Promise<unknown> {
  const { body } = await api.call('GET', `/api/admin/blog/articles/${slug}`, { token: admin.token });
  return (body['data'] as Readonly<Record<string, unknown>>)['body'];
}

/**
 * Returns the first full minute that is at least `distance_ms` away, in the format of a date and time control. It uses
 * the clock of the browser.
 */
function minuteAfter(page: Page, distance_ms: number): Promise<string> {
  return page.evaluate((least_ms) => {
    const MINUTE_ms = 60_000;
    const next = new Date(Math.ceil((Date.now() + least_ms) / MINUTE_ms) * MINUTE_ms);
    return new Date(next.getTime() - next.getTimezoneOffset() * MINUTE_ms).toISOString().slice(0, 16);
  }, distance_ms);
}
