import { ARTICLE } from '../../tests/support/people.ts';
import type { SmokeFlow } from '../../tests/support/smoke-flow.ts';

/** The flows of `npm run compat -w mf-community`. */
export const flows: readonly SmokeFlow[] = [
  {
    name: 'a thread',
    async run(page, { thread }) {
      await page.goto('/community');
      await page.getByRole('link', { name: thread.title }).first().click();
      await page.getByRole('heading', { level: 1, name: thread.title }).waitFor();
    },
  },
  {
    name: 'an article',
    visitor: 'client',
    async run(page) {
      await page.goto('/blog');
      await page.getByRole('link', { name: ARTICLE.title }).first().click();
      await page.getByRole('heading', { level: 1, name: ARTICLE.title }).waitFor();
    },
  },
];
