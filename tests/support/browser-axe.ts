import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PHONE } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA and what axe holds for good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds on a page as it stands: one line a rule, with the elements it is about. A screen that only stands until another comes needs no heading. */
export async function axeViolations(page: Page, isPassing = false): Promise<readonly string[]> {
  // Evaluated by the browser's debugger, to which the page's content security policy does not apply.
  await page.evaluate(`typeof axe === 'undefined' && (() => { ${AXE} })()`);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'], rules: { 'page-has-heading-one': { enabled: ${!isPassing} } } })`,
  );
  return violations.map(
    ({ id, help, nodes }) =>
      `${id} (${help}): ${nodes.map(({ target, failureSummary }) => `${target.join(' ')}${id === 'color-contrast' ? ` [${failureSummary?.split('\n')[1]?.trim() ?? ''}]` : ''}`).join(' | ')}`,
  );
}

/** Colours are measured where they arrive, not on their way there. */
const stopFading = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });

/** Fails when axe finds anything on a light page as it stands, or on the same page when it is dark, and as wide as a phone unless its width is to stay. */
export async function expectAccessible(page: Page, { isPassing = false, keepsWidth = false } = {}): Promise<void> {
  await stopFading(page);
  const light = await axeViolations(page, isPassing);
  await page.emulateMedia({ colorScheme: 'dark' });
  if (!keepsWidth) await page.setViewportSize(PHONE);
  const dark = await axeViolations(page, isPassing);
  expect({ light, dark }).toEqual({ light: [], dark: [] });
}
