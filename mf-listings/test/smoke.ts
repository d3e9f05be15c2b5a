import type { SmokeFlow } from '../../tests/support/smoke-flow.ts';

/** The flows of `npm run compat -w mf-listings`. */
export const flows: readonly SmokeFlow[] = [
  {
    name: 'a list, its filters and an ad',
    async run(page, { ad }) {
      await page.goto('/listings');
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('button', { name: 'More filters', expanded: true }).waitFor();
      await page.getByRole('link', { name: ad.title }).first().click();
      await page.getByRole('heading', { level: 1, name: ad.title }).waitFor();
    },
  },
  {
    name: 'the ads of a provider',
    visitor: 'provider',
    async run(page, { ad }) {
      await page.goto('/my-ads');
      await page.getByRole('main').getByText(ad.title).first().waitFor();
    },
  },
];
