import type { SmokeFlow } from '../../tests/support/smoke-flow.ts';
import texts from '../src/locales/en.json';

/** The flows of `npm run compat -w mf-admin`. */
export const flows: readonly SmokeFlow[] = [
  {
    name: 'the overview and the articles',
    visitor: 'admin',
    async run(page) {
      await page.goto('/admin');
      await page.getByRole('heading', { level: 1, name: texts['nav.overview'] }).waitFor();
      await page.getByRole('link', { name: texts['nav.blog'], exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: texts['nav.blog'] }).waitFor();
    },
  },
];
