import { execFile } from 'node:child_process';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ResponseOf } from '@alpenglow/domain';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiClient } from '../support/api.ts';
import { DESKTOP, openVisitor, PHONE, returningVisitor } from '../support/browser.ts';
import { expectAccessible } from '../support/browser-axe.ts';
import { startDeployedSite, type DeployedSite } from '../support/deployed-site.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { METRICS_TOKEN } from '../support/product.ts';
import { isFullRun } from '../support/sample.ts';
import { appScriptOf } from '../support/remotes.ts';

/**
 * Tests independent deployments of remotes, the micro-frontends of the site. Also tests remotes whose files are missing
 * or changed on the disk of the server (F-4, F-5). All tests use mf-community. Failures between the server and the
 * browser are tested in remotes.test.ts.
 */
const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

let site: DeployedSite;
let page: Page;

beforeAll(async () => {
  site = await startDeployedSite();
});
afterAll(() => site?.stop());

async function openPage(): Promise<Page> {
  const opened = await (await returningVisitor(site.browser, site.product.url)).newPage();
  return opened;
}

beforeEach(async () => {
  await site.remotes.deploy('mf-community', 'good');
  page = await openPage();
});
afterEach(() => page.context().close());

const mark = (of: Page = page) => of.locator('html').getAttribute('data-mf-community');
const box = (of: Page = page) => of.getByRole('alert');

async function expectCommunity(expectedMark: string, of: Page = page): Promise<void> {
  await of.locator('main h1').first().waitFor();
  await of.waitForFunction(
    (expected) => document.documentElement.getAttribute('data-mf-community') === expected,
    expectedMark,
  );
  expect(await box(of).count(), 'no error box').toBe(0);
}

/** Expects an error message in the area of the remote in the page. The navigation and other pages must still work. */
async function expectFailureStaysInside(text: string): Promise<void> {
  await page.getByRole('main').getByText(text).waitFor();
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
  await page.getByRole('link', { name: 'Community' }).click();
  await page.getByRole('main').getByText(text).waitFor();
}

const FAILED = 'This part of the site could not be loaded';
const retry = () => box().getByRole('button', { name: 'Retry' }).click();

describe('a deployed remote', () => {
  it('shows an error box in its own area when its entry is missing, and recovers by Retry', async () => {
    const live = await site.remotes.deploy('mf-community', 'gone');
    await rename(site.remotes.folder(live), `${site.remotes.folder(live)}.away`);
    await page.goto('/community');
    await expectFailureStaysInside(FAILED);
    await rename(`${site.remotes.folder(live)}.away`, site.remotes.folder(live));
    await retry();
    await expectCommunity('gone');
  });
});

/** Returns the kinds of the reported errors of a deployment. */
async function errorKindsOf({ hash }: { readonly hash: string }): Promise<readonly string[] | undefined> {
  const { body } = await apiClient(site.product.url).call('GET', '/api/front-ends/statistics');
  const { deployments } = (body as unknown as ResponseOf<'getFrontEndStatistics'>).data;
  return deployments.find((deployment) => deployment.hash === hash)?.errors.map(({ kind }) => kind);
}

async function readMetrics(): Promise<string> {
  const { body } = await apiClient(site.product.url).call('GET', '/metrics', { token: METRICS_TOKEN });
  return String(body['text']);
}

describe('a remote whose code throws while it is loaded', () => {
  it('shows an error box in its own area, and is in the console, the statistics and the metrics', async () => {
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', ({ message }) => errors.push(message));
    const live = await site.remotes.deployWithCode('mf-community', "throw new Error('broken by a deployment');");
    await page.goto('/community');
    await expectFailureStaysInside(FAILED);
    expect(errors.join('\n')).toContain('broken by a deployment');
    await expect.poll(() => errorKindsOf(live), { timeout: MAX_WAIT_ms }).toEqual(['load']);
    const labels = `front_end="mf-community",build="${live.hash}",kind="load"`;
    await expect.poll(readMetrics, { timeout: MAX_WAIT_ms }).toContain(`front_end_errors_total{${labels}} 1`);
    await site.remotes.deploy('mf-community', 'mended after a throw');
    await retry();
    await expectCommunity('mended after a throw');
  });
});

describe('a chunk whose code throws', () => {
  it('is in the console and the statistics, and the page shows a short message', async () => {
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    const live = await site.remotes.deployWithCode('mf-listings', "throw new Error('broken filters');", 'filters');
    await page.goto('/listings');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByText('This part could not be loaded').waitFor();
    await page.locator('main h1').waitFor();
    expect(errors.filter((text) => text.includes('ChunkLoadError'))).toHaveLength(1);
    await expect.poll(() => errorKindsOf(live), { timeout: MAX_WAIT_ms }).toEqual(['render']);
    await site.remotes.deploy('mf-listings');
  });
});

if (isFullRun) {
  describe('a remote that was tampered with', () => {
    it.each(['its entry', 'its App'])('is blocked and does not run if %s was changed', async (part) => {
      const live = await site.remotes.deploy('mf-community', `tampered ${part}`);
      await site.remotes.tamper(live, part === 'its entry' ? 'remote-entry.js' : appScriptOf(live));
      await page.goto('/community');
      await expectFailureStaysInside(FAILED);
      expect(await page.locator('html').getAttribute('data-tampered')).toBeNull();
      expect(await mark()).toBeNull();
      await site.remotes.deploy('mf-community', 'mended');
      await retry();
      await expectCommunity('mended');
    });

    it('is blocked if its style sheet was changed', async () => {
      const live = await site.remotes.deploy('mf-community', 'tampered style');
      const style = live.preload.find((file) => file.endsWith('.css'));
      await site.remotes.tamper(live, style ?? '');
      await page.goto('/community');
      await expectFailureStaysInside(FAILED);
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--tampered'))).toBe(
        '',
      );
    });

    it('is blocked if its entry is not in the registry', async () => {
      await site.remotes.editEntry('mf-community', (entry) => {
        const { [entry.entry]: _unlisted, ...integrity } = entry.integrity;
        return { ...entry, integrity };
      });
      await page.goto('/community');
      await expectFailureStaysInside(FAILED);
      expect(await mark()).toBeNull();
    });
  });
}

/** Expects that a visitor who has not chosen cookies can use the mark and the cookie banner on a phone. */
async function expectMarkAboveBanner(link: string): Promise<void> {
  const visitor = await openVisitor(site.browser, site.product.url, { hasChosenCookies: false });
  const phone = await visitor.newPage();
  await phone.setViewportSize(PHONE);
  await phone.goto(link);
  await phone.goto('/community');
  const banner = phone.getByRole('region', { name: 'Cookies' });
  await banner.waitFor();
  const leave = phone.getByRole('complementary', { name: 'Preview' }).getByRole('link');
  const bottomOfMark = async () => {
    const { y = 0, height = 0 } = (await phone.getByRole('complementary', { name: 'Preview' }).boundingBox()) ?? {};
    return y + height;
  };
  await expect.poll(bottomOfMark).toBeLessThanOrEqual((await banner.boundingBox())?.y ?? 0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await phone.emulateMedia({ colorScheme });
    await expectAccessible(phone, { retainsWidth: true });
    await leave.click({ trial: true });
    await banner.getByRole('button').first().click({ trial: true });
  }
  await visitor.close();
}

describe('a preview', () => {
  it('is shown with its mark to the browser that opened the link, until it leaves, and to no other one', async () => {
    const { entry, link } = await site.remotes.deployPreview('mf-community', 'preview');
    await page.goto(link);
    await page.goto('/community');
    await expectCommunity('preview');
    const note = page.getByRole('complementary', { name: 'Preview' });
    await note.getByText(`mf-community: version ${entry.hash} instead of`).waitFor();
    for (const viewport of [PHONE, DESKTOP]) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: 'light' });
      await expectAccessible(page, { retainsWidth: true });
      const { x = 0, width = 0 } = (await note.boundingBox()) ?? {};
      expect(x, `the mark at ${viewport.width} px`).toBeGreaterThanOrEqual(0);
      expect(x + width, `the mark at ${viewport.width} px`).toBeLessThanOrEqual(viewport.width);
    }
    await expectMarkAboveBanner(link);
    // Pages of other front ends, which the browser opens without a request of the HTML, have the mark, too.
    await page.getByRole('link', { name: 'About' }).click();
    await note.waitFor();
    const other = await openPage();
    await other.goto('/community');
    await expectCommunity('good', other);
    expect(await other.getByRole('complementary', { name: 'Preview' }).count()).toBe(0);
    await other.context().close();
    await note.getByRole('link', { name: 'Leave the preview' }).click();
    await page.locator('main h1').first().waitFor();
    expect(await note.count()).toBe(0);
    await page.goto('/community');
    await expectCommunity('good');
  });
});

describe('a deployment while a tab is open', () => {
  it('leaves open tabs unchanged, is used by new tabs at once and can be rolled back', async () => {
    await page.goto('/community');
    await expectCommunity('good');

    await site.remotes.deploy('mf-community', 'newer');
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('link', { name: 'Community' }).click();
    await expectCommunity('good');
    const second = await openPage();
    await second.goto('/community');
    await expectCommunity('newer', second);
    await second.context().close();

    await run(process.execPath, ['shell/build/rollback.mjs', 'mf-community'], {
      cwd: root,
      env: { ...process.env, MF_DIR: site.remotes.mfDir },
    });
    const third = await openPage();
    await third.goto('/community');
    await expectCommunity('good', third);
    await third.context().close();
  });

  it('for a later shell changes nothing for this one, and a named build can be made live again', async () => {
    const rollback = (...args: string[]) =>
      run(process.execPath, ['shell/build/rollback.mjs', 'mf-community', ...args], {
        cwd: root,
        env: { ...process.env, MF_DIR: site.remotes.mfDir },
      });
    const named = await site.remotes.deploy('mf-community', 'named');
    await site.remotes.deploy('mf-community', 'later');
    await site.remotes.deployAhead('mf-community');
    await page.goto('/community');
    await expectCommunity('later');
    await rollback('--to', named.hash.slice(0, 12));
    const second = await openPage();
    await second.goto('/community');
    await expectCommunity('named', second);
    await second.context().close();
    await expect(rollback('--to', '0123456789abcdef')).rejects.toThrow('mf-community works with contract >=99');
  });

  if (isFullRun) {
    it('replaces a failed remote by Retry, without a reload of the tab', async () => {
      const live = await site.remotes.deploy('mf-community', 'broken');
      await site.remotes.tamper(live, appScriptOf(live));
      await page.goto('/community');
      await box().getByText(FAILED).waitFor();
      await page.evaluate(() => document.documentElement.setAttribute('data-same-page', 'yes'));
      await site.remotes.deploy('mf-community', 'repaired');
      await retry();
      await expectCommunity('repaired');
      expect(await page.locator('html').getAttribute('data-same-page')).toBe('yes');
    });
  }
});
