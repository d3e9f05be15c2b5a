import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { returningVisitor, sharedBrowser } from '../support/browser.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { isFullRun } from '../support/sample.ts';
import { appChunk, DeployedRemotes } from '../support/remotes.ts';
import { closeVisitors } from '../support/test-failures.ts';

/**
 * Independent deployment, and what a remote whose files are not as they should be on the server's disk costs (design/front-end.md,
 * "Composition"). The remote in question is mf-community; what can befall each of them on the way is in remotes.test.ts.
 */
const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

let browser: Browser;
let product: TestProduct;
let remotes: DeployedRemotes;
let page: Page;

beforeAll(async () => {
  remotes = await DeployedRemotes.create();
  product = await startTestProduct({ mfDir: remotes.mfDir });
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeVisitors();
  await product?.stop();
  await remotes?.remove();
});

async function openPage(): Promise<Page> {
  const opened = await (await returningVisitor(browser, product.url)).newPage();
  return opened;
}

beforeEach(async () => {
  await remotes.deploy('mf-community', 'good');
  page = await openPage();
});
afterEach(() => page.context().close());

const mark = (of: Page = page) => of.locator('html').getAttribute('data-mf-community');
const box = (of: Page = page) => of.getByRole('alert');

async function expectCommunity(expectedMark: string, of: Page = page): Promise<void> {
  await of.locator('main h1').first().waitFor();
  await of.waitForFunction(
    (wanted) => document.documentElement.getAttribute('data-mf-community') === wanted,
    expectedMark,
  );
  expect(await box(of).count(), 'no error box').toBe(0);
}

/** The area says what is wrong; the bar still leads elsewhere, and what is there works. */
async function expectFailureStaysInside(text: string): Promise<void> {
  await page.getByRole('main').getByText(text).waitFor();
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
  await page.getByRole('link', { name: 'Community' }).click();
  await page.getByRole('main').getByText(text).waitFor();
}

const FAILED = 'This part of the site could not be loaded';
const retry = () => box().getByRole('button', { name: 'Retry' }).click();

describe('a remote', () => {
  it('whose entry is gone shows an error box in its own area, and comes back by Retry', async () => {
    const live = await remotes.deploy('mf-community', 'gone');
    await rename(remotes.folder(live), `${remotes.folder(live)}.away`);
    await page.goto('/community');
    await expectFailureStaysInside(FAILED);
    await rename(`${remotes.folder(live)}.away`, remotes.folder(live));
    await retry();
    await expectCommunity('gone');
  });
});

if (isFullRun) {
  describe('a remote that was tampered with', () => {
    it.each(['its entry', 'its App'])('in %s is refused and not run', async (part) => {
      const live = await remotes.deploy('mf-community', `tampered ${part}`);
      await remotes.tamper(live, part === 'its entry' ? 'remote-entry.js' : appChunk(live));
      await page.goto('/community');
      await expectFailureStaysInside(FAILED);
      expect(await page.locator('html').getAttribute('data-tampered')).toBeNull();
      expect(await mark()).toBeNull();
      await remotes.deploy('mf-community', 'mended');
      await retry();
      await expectCommunity('mended');
    });

    it('in its style sheet is refused', async () => {
      const live = await remotes.deploy('mf-community', 'tampered style');
      const style = live.preload.find((file) => file.endsWith('.css'));
      await remotes.tamper(live, style ?? '');
      await page.goto('/community');
      await expectFailureStaysInside(FAILED);
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--tampered'))).toBe(
        '',
      );
    });

    it('so that it loads a file the registry does not list is refused', async () => {
      await remotes.editEntry('mf-community', (entry) => {
        const { [appChunk(entry)]: _unlisted, ...integrity } = entry.integrity;
        return { ...entry, integrity };
      });
      await page.goto('/community');
      await expectFailureStaysInside(FAILED);
      expect(await mark()).toBeNull();
    });
  });
}

describe('deploying while a tab is open', () => {
  it('leaves the tab as it is, reaches new ones at once, and is undone by a rollback', async () => {
    await page.goto('/community');
    await expectCommunity('good');

    await remotes.deploy('mf-community', 'newer');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('link', { name: 'Community' }).click();
    await expectCommunity('good');
    const second = await openPage();
    await second.goto('/community');
    await expectCommunity('newer', second);
    await second.context().close();

    await run(process.execPath, ['shell/build/rollback.mjs', 'mf-community'], {
      cwd: root,
      env: { ...process.env, MF_DIR: remotes.mfDir },
    });
    const third = await openPage();
    await third.goto('/community');
    await expectCommunity('good', third);
    await third.context().close();
  });

  if (isFullRun) {
    it('brings a tab whose remote had failed the new one by Retry, without a reload', async () => {
      const live = await remotes.deploy('mf-community', 'broken');
      await remotes.tamper(live, appChunk(live));
      await page.goto('/community');
      await box().getByText(FAILED).waitFor();
      await page.evaluate(() => document.documentElement.setAttribute('data-same-page', 'yes'));
      await remotes.deploy('mf-community', 'repaired');
      await retry();
      await expectCommunity('repaired');
      expect(await page.locator('html').getAttribute('data-same-page')).toBe('yes');
    });
  }
});
