import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2 AA and what axe holds for good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds on a page as it stands: one line a rule, with the elements it is about. A screen that only stands until another comes needs no heading. */
export async function axeViolations(page: Page, isPassing = false): Promise<readonly string[]> {
  // Evaluated by the browser's debugger, to which the page's content security policy does not apply.
  await page.evaluate(`typeof axe === 'undefined' && (() => { ${AXE} })()`);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'], rules: { 'page-has-heading-one': { enabled: ${!isPassing} } } })`);
  return violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ target, failureSummary }) => `${target.join(' ')}${id === 'color-contrast' ? ` [${failureSummary?.split('\n')[1]?.trim() ?? ''}]` : ''}`).join(' | ')}`);
}
