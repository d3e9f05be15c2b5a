import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { pictures } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { signedUrl, upload } from '../support/uploads.ts';

/** Node warns if a response has more than ten listeners of one event. The log would contain a line for each request. */

let product: TestProduct;
let api: ApiClient;
let owner: Person;
const warnings: string[] = [];
const onWarning = (warning: Error) => void warnings.push(`${warning.name}: ${warning.message}`);

beforeAll(async () => {
  process.on('warning', onWarning);
  product = await startTestProduct({ rateLimits: true });
  api = apiClient(product.url);
  owner = await api.signUp('provider');
});
beforeEach(() => void (warnings.length = 0));
afterAll(async () => {
  process.off('warning', onWarning);
  await product?.stop();
});

/** Returns after the current turn of the event loop, because Node reports warnings in the next one. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function expectNoWarning(url: string, init?: RequestInit): Promise<void> {
  const response = await fetch(new URL(url, product.url), init);
  await response.arrayBuffer();
  await settle();
  expect({ url, status: response.status, warnings }).toMatchObject({ status: 200, warnings: [] });
}

test('a request of a visitor adds few listeners to its response', async () => {
  const { id } = await api.postAd(owner.token);
  for (const url of ['/', '/listings', `/ad/${id}`, '/robots.txt', '/api/ads', `/api/ads/${id}`])
    await expectNoWarning(url);
});

test('a request for a photo adds few listeners to its response', async () => {
  const { body } = await upload(product.url, 'photos', [{ bytes: await pictures.jpeg() }], owner.token);
  const [url = ''] = body['urls'] as string[];
  await expectNoWarning(await signedUrl(product.url, url, owner.token));
});

test('the export of an account adds few listeners to its response', async () => {
  await expectNoWarning('/api/account/export', { headers: { authorization: `Bearer ${owner.token}` } });
});
