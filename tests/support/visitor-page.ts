import path from 'node:path';
import type { Browser } from 'playwright-core';
import { openVisitor } from './browser.ts';
import { ConsoleWatch } from './browser-console.ts';
import { takeScreenshots } from './test-failures.ts';

export interface Viewport {
  readonly width: number;
  readonly height: number;
}

/** Part of a page in which an element is searched: the main content, the bar at the top, or the open dialog. */
export type Area = 'main' | 'header' | 'dialog';

/**
 * The actions of a visitor on a page, the same for every browser. An element is found by its role and its exact
 * accessible name. All functions wait until the element exists and can be used.
 */
export interface VisitorPage {
  /**
   * Opens a path of the site, as if the visitor had entered the address. First waits until the current page has loaded,
   * because Firefox and WebKit print errors about requests that they cancel.
   */
  goTo(path: string): Promise<void>;
  press(role: 'button' | 'link', name: string, area?: Area): Promise<void>;
  /** Presses the first visible text that contains `text`, such as the label of a radio button. */
  pressText(text: string, area?: Area): Promise<void>;
  /** Replaces the text of a field with the keyboard. */
  type(name: string, text: string, area?: Area): Promise<void>;
  /** Chooses an option of a list by its text. */
  choose(name: string, option: string): Promise<void>;
  /** Chooses a file for the first file field of the page. */
  upload(file: string): Promise<void>;
  /** Waits until a visible element contains `text`. */
  waitForText(text: string, area?: Area): Promise<void>;
  /** Returns the address without the origin. */
  address(): Promise<string>;
  /** Returns the visible text of the page. */
  text(): Promise<string>;
  /** Returns the errors and warnings that the browser has printed on its console. */
  consoleProblems(): readonly string[];
  /** Saves the screenshot and the console messages of a failed test. */
  saveFailure(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** Runs in the page. Returns true if React has hydrated it and nothing was loaded in the last half second. */
export function isSettled(): boolean {
  const loaded_ms = performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd);
  return (
    document.readyState === 'complete' &&
    globalThis.alpenglowPresses === undefined &&
    globalThis.alpenglowHydration === undefined &&
    performance.now() - Math.max(0, ...loaded_ms) > 500
  );
}

/** Opens a new browser profile of Chromium or Firefox for a visitor of the site at `url`. */
export async function openPlaywrightPage(browser: Browser, url: string, viewport: Viewport): Promise<VisitorPage> {
  const context = await openVisitor(browser, url, { viewport, hasPassedGates: false, hasServiceWorker: true });
  const console = new ConsoleWatch(context);
  const page = await context.newPage();
  const find = (area?: Area) =>
    area === 'dialog' ? page.getByRole('dialog') : area === undefined ? page.locator('body') : page.locator(area);
  const findText = (text: string, area?: Area) => find(area).getByText(text).filter({ visible: true }).first();
  return {
    async goTo(to) {
      await page.waitForFunction(isSettled);
      // Firefox may report one navigation twice. Playwright then takes the second report for another navigation.
      await page.goto(to).catch(async (error: Error) => {
        if (!error.message.includes(`interrupted by another navigation to "${url}${to}"`)) throw error;
        await page.waitForLoadState();
      });
    },
    press: (role, name, area) => find(area).getByRole(role, { name, exact: true }).first().click(),
    pressText: (text, area) => findText(text, area).click(),
    async type(name, text, area) {
      // Playwright's `fill` sets the value of a field by a script in Firefox, which React does not notice.
      const field = find(area).getByLabel(name, { exact: true });
      await field.press('ControlOrMeta+a');
      await field.pressSequentially(text);
    },
    async choose(name, option) {
      await page.getByRole('combobox', { name, exact: true }).selectOption({ label: option });
    },
    upload: (file) => page.locator('input[type=file]').first().setInputFiles(path.resolve(file)),
    waitForText: (text, area) => findText(text, area).waitFor(),
    address: () => Promise.resolve(page.url().slice(url.length)),
    text: () => page.locator('body').innerText(),
    consoleProblems: () => console.takeProblems(),
    saveFailure: () => takeScreenshots(context),
    close: () => context.close(),
  };
}
