import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, openVisitor, sharedBrowser } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { eventually } from '../support/eventually.ts';
import { trackPageActivity } from '../support/screen-states.ts';
import { populate, ROLES, type Role, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { isFullRun } from '../support/sample.ts';
import { headingOf, SCREENS, type ExpectedPage, type Screen } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Opens every URL as every role, directly and by a reload. Where a role sees a different screen, axe
 * checks the light and the dark theme (F-17).
 */
let product: TestProduct;
let browser: Browser;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await populate(product.url);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
});

/** Screens that `npm test` opens for each role. They include a page of the shell and a page of each remote. */
const SAMPLE: Readonly<Record<Role, readonly string[]>> = {
  guest: ['about', 'community-city'],
  client: ['favorites'],
  provider: ['edit'],
  moderator: [],
  admin: ['admin'],
};

function screensOf(role: Role): readonly Screen[] {
  if (!isFullRun) return SCREENS.filter(({ name }) => SAMPLE[role].includes(name));
  // On all other screens, a moderator sees the same content as a client.
  return role === 'moderator' ? SCREENS.filter(({ name }) => name.startsWith('admin')) : SCREENS;
}

/** A browser page that one role uses for one test after another. */
interface Window {
  readonly page: Page;
  readonly console: ConsoleWatch;
  readonly waitUntilIdle: ReturnType<typeof trackPageActivity>;
}

const PLACEHOLDERS = {
  ad: { id: '{id}', title: '{title}', state: 'NV', city: 'Reno' },
  thread: { id: '{id}', title: '{title}', path: '{thread}' },
};

const VISITORS = ROLES.filter((role) => screensOf(role).length > 0);

describe.each(VISITORS)('%s', (role: Role) => {
  let context: BrowserContext;
  const free: Window[] = [];
  beforeAll(async () => {
    context = await openVisitor(browser, product.url, { token: world.tokenOf(role) });
  });
  afterAll(() => context?.close());

  async function openWindow(): Promise<Window> {
    const page = await context.newPage();
    return { page, console: new ConsoleWatch(page), waitUntilIdle: trackPageActivity(page) };
  }

  // The tests run concurrently, because most of their time is spent waiting for the server.
  it.concurrent.each(screensOf(role).map((screen) => [screen.path(PLACEHOLDERS), screen] as const))(
    '%s',
    async (_address, screen) => {
      const window = free.pop() ?? (await openWindow());
      const { page, console, waitUntilIdle } = window;
      console.discardProblems();
      // The response to the page and the API request both have status 404.
      if (screen.isMissing) console.allow(new RegExp(`status of 404 .*/${screen.path(world).split('/').at(-1)}$`, 'u'));
      const path = screen.path(world);
      const finding = screen.expectedPage(role, world);
      await page.goto(path);
      await expectFinding(page, path, finding);
      const finalPath = 'redirectsTo' in finding ? new URL(page.url()).pathname : path;
      if ((screen.checkedRoles ?? ['guest']).includes(role)) {
        await waitUntilIdle();
        await expectAccessible(page);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize(DESKTOP);
      }
      await page.reload();
      await expectFinding(page, finalPath, finding);
      console.expectNoProblems();
      // A page is used again only if its test has passed.
      free.push(window);
    },
  );
});

/** Waits until the page shows the expected screen at the expected URL. */
async function expectFinding(page: Page, path: string, finding: ExpectedPage): Promise<void> {
  const heading = headingOf(page);
  if ('redirectsTo' in finding) await page.waitForURL(({ pathname }) => pathname === finding.redirectsTo);
  await heading.filter({ hasText: finding.heading }).waitFor();
  if (!('redirectsTo' in finding)) {
    expect(decodeURI(new URL(page.url()).pathname), 'the address is unchanged').toBe(path.split(/[?#]/u)[0]);
    if (finding.containedText !== undefined)
      await page.locator('main').getByText(finding.containedText).first().waitFor();
  }
  await eventually(async () => expect(await heading.count(), 'the page has one heading').toBe(1));
}
