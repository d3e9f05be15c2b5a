import { DEMO_ADS_PER_CITY, STATES, type ResponseOf } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { startTestProduct } from '../support/product.ts';
import { waitForReadModels } from '../support/threads.ts';

test('every city of the demo has at least ten visible ads, although cases hide some (R-9.14)', async () => {
  const product = await startTestProduct({ isDemo: true });
  try {
    await waitForReadModels(product.url);
    const { body } = await apiClient(product.url).call('GET', '/api/ads/counts');
    const { cities } = (body as unknown as ResponseOf<'countAds'>).data;
    const countOf = (state: string, city: string) =>
      cities.find((one) => one.state === state && one.city === city)?.count ?? 0;
    const tooFew = STATES.flatMap(({ code, cities: names }) =>
      names.filter((name) => countOf(code, name) < DEMO_ADS_PER_CITY).map((name) => `${name}, ${code}`),
    );
    expect(tooFew).toEqual([]);
  } finally {
    await product.stop();
  }
});
