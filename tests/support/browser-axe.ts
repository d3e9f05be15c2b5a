import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { PHONE } from './browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rule sets of axe for WCAG 2.2 AA and best practices. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Returns a line for each axe rule that the current page violates, with the affected elements. A transient screen needs
 * no heading, because another screen replaces it soon.
 */
export async function axeViolations(page: Page, isTransient = false): Promise<readonly string[]> {
  // The debugger evaluates the script, because the content security policy of the page blocks other scripts.
  await page.evaluate(`typeof axe === 'undefined' && (() => { ${AXE} })()`);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'], ` +
      `rules: { 'page-has-heading-one': { enabled: ${!isTransient} } } })`,
  );
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.map(({ target, failureSummary }) => {
      const colors = id === 'color-contrast' ? ` [${failureSummary?.split('\n')[1]?.trim() ?? ''}]` : '';
      return `${target.join(' ')}${colors}`;
    });
    return `${id} (${help}): ${places.join(' | ')}`;
  });
}

/** Disables all transitions and animations, so that axe measures the final colors. */
const stopFading = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });

/**
 * Fails if axe finds a violation on the current page in the light or the dark theme. Checks the dark theme at the width
 * of a phone, or at the current width if `retainsWidth` is true.
 */
export async function expectAccessible(page: Page, { isTransient = false, retainsWidth = false } = {}): Promise<void> {
  await stopFading(page);
  const light = await axeViolations(page, isTransient);
  await page.emulateMedia({ colorScheme: 'dark' });
  if (!retainsWidth) await page.setViewportSize(PHONE);
  const dark = await axeViolations(page, isTransient);
  expect({ light, dark }).toEqual({ light: [], dark: [] });
}
