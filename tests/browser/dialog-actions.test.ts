import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';

/**
 * The styles of dialogs, in a page without the rest of the product. Every long dialog has these styles, so this
 * replaces a visit to each of them.
 */
const read = (file: string) => readFile(fileURLToPath(new URL(`../../ui/src/${file}`, import.meta.url)), 'utf8');
let styles = '';

beforeAll(async () => {
  styles = (await Promise.all(['styles/tokens.css', 'styles/base.css', 'components/dialog.module.css'].map(read))).join(
    '\n',
  );
});

/** Opens a dialog whose content is higher than the window. */
async function openDialog(classes: string, viewport: { width: number; height: number }): Promise<Page> {
  const browser = await sharedBrowser();
  const page = await browser.newPage({ viewport });
  onTestFinished(() => page.close());
  await page.setContent(
    `<style>${styles}</style><dialog class="${classes}"><div class="inner">` +
      '<div class="head"><h2>Report</h2><button>Close</button></div>' +
      '<form class="form"><div style="block-size: 90rem"></div><input id="last"></form>' +
      '<div class="actions"><button>Cancel</button><button id="send">Send</button></div></div></dialog>',
  );
  await page.evaluate(() => document.querySelector('dialog')?.showModal());
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  return page;
}

/** Checks whether the middle of an element can be pressed. */
const isReachable = (page: Page, id: string) =>
  page.evaluate((target) => {
    const element = document.getElementById(target);
    const { x = 0, y = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
    return element !== null && document.elementFromPoint(x + width / 2, y + height / 2) === element;
  }, id);

describe.each([
  ['on a phone', { width: 390, height: 664 }],
  ['on a wide screen', { width: 1280, height: 720 }],
])('the buttons of a long dialog %s', (_, viewport) => {
  it.each(['dialog', 'dialog sheet'])('stay visible while its content scrolls (%s)', async (classes) => {
    const page = await openDialog(classes, viewport);
    expect(await isReachable(page, 'send'), 'at the top').toBe(true);
    await page.evaluate(() => document.querySelector('dialog')?.scrollTo(0, 300));
    expect(await isReachable(page, 'send'), 'in the middle').toBe(true);
    await page.locator('#last').focus();
    expect(await isReachable(page, 'last'), 'the buttons do not cover the field with the focus').toBe(true);
    await page.evaluate(() => document.querySelector('dialog')?.scrollTo(0, document.body.scrollHeight + 9_999));
    expect([await isReachable(page, 'last'), await isReachable(page, 'send')], 'at the end').toEqual([true, true]);
  });
});

it('the buttons scroll with the content on a very low screen, which they would cover', async () => {
  const page = await openDialog('dialog', { width: 320, height: 256 });
  expect(await isReachable(page, 'send')).toBe(false);
});
