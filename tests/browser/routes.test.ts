import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, openVisitor, sharedBrowser } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { ConsoleWatch } from '../support/browser-console.ts';
import { eventually } from '../support/eventually.ts';
import { watchRest } from '../support/moments.ts';
import { populate, ROLES, type Role, type World } from '../support/people.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { isFullRun } from '../support/sample.ts';
import { headingOf, SCREENS, type Finding, type Screen } from '../support/screens.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Every address × everybody (specification, section 2, "Routes"): opened from outside, looked at by axe, light and dark, where this role
 * sees what others do not (design/front-end.md, "Looks"), and opened once more by a reload.
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

/** What a run that is not full opens: a page of the shell and of each remote, and something for each of those who visit most. */
const SAMPLE: Readonly<Record<Role, readonly string[]>> = {
  guest: ['about', 'community-city'],
  client: ['favorites'],
  provider: ['edit'],
  moderator: [],
  admin: ['admin'],
};

function screensOf(role: Role): readonly Screen[] {
  if (!isFullRun) return SCREENS.filter(({ name }) => SAMPLE[role].includes(name));
  // A moderator is a client everywhere else.
  return role === 'moderator' ? SCREENS.filter(({ name }) => name.startsWith('admin')) : SCREENS;
}

/** A page of a role, which opens one address after the other. */
interface Window {
  readonly page: Page;
  readonly console: ConsoleWatch;
  readonly comesToRest: ReturnType<typeof watchRest>;
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
    return { page, console: new ConsoleWatch(page), comesToRest: watchRest(page) };
  }

  // Several at a time: each waits for the server most of the time.
  it.concurrent.each(screensOf(role).map((screen) => [screen.path(PLACEHOLDERS), screen] as const))(
    '%s',
    async (_address, screen) => {
      const window = free.pop() ?? (await openWindow());
      const { page, console, comesToRest } = window;
      console.forget();
      // The page, and what it asks for.
      if (screen.isMissing) console.allow(new RegExp(`status of 404 .*/${screen.path(world).split('/').at(-1)}$`, 'u'));
      const path = screen.path(world);
      const finding = screen.finds(role, world);
      await page.goto(path);
      await expectFinding(page, path, finding);
      const landed = 'goesTo' in finding ? new URL(page.url()).pathname : path;
      if ((screen.lookedAtBy ?? ['guest']).includes(role)) {
        await comesToRest();
        await expectAccessible(page);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize(DESKTOP);
      }
      await page.reload();
      await expectFinding(page, landed, finding);
      console.expectSilence();
      // That of a failing test stays as it is.
      free.push(window);
    },
  );
});

/** Waits until the page shows what it should, at the address where it should be. */
async function expectFinding(page: Page, path: string, finding: Finding): Promise<void> {
  const heading = headingOf(page);
  if ('goesTo' in finding) await page.waitForURL(({ pathname }) => pathname === finding.goesTo);
  await heading.filter({ hasText: finding.heading }).waitFor();
  if (!('goesTo' in finding)) {
    expect(decodeURI(new URL(page.url()).pathname), 'the address stays').toBe(path.split(/[?#]/u)[0]);
    if (finding.says !== undefined) await page.locator('main').getByText(finding.says).first().waitFor();
  }
  await eventually(async () => expect(await heading.count(), 'one heading of the page').toBe(1));
}
