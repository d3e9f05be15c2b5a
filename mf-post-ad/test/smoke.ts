import type { SmokeFlow } from '../../tests/support/smoke-flow.ts';

/** The flows of `npm run compat -w mf-post-ad`. */
export const flows: readonly SmokeFlow[] = [
  {
    name: 'the form of a new ad',
    visitor: 'newcomer',
    async run(page) {
      await page.goto('/post-ad');
      await page.getByRole('heading', { level: 1, name: 'Post Your Ad' }).waitFor();
      await page.getByRole('main').getByRole('textbox').first().fill('A title');
    },
  },
  {
    name: 'the form of an existing ad',
    visitor: 'provider',
    async run(page, { ad }) {
      await page.goto(`/edit/${ad.id}`);
      await page.getByRole('button', { name: 'Update Ad' }).waitFor();
    },
  },
];
