import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

const PHONE = '+1 702 555 0142';
const LINK = 'https://social.example/secret-profile';
const EVIL = '</script><script>alert(1)</script>';
const DESCRIPTION = `Calm company. ${EVIL} Call (702) 555-0142 or write to me.here@mail.example, www.my-page.example or @my_handle for an evening.`;

let product: TestProduct;
let api: ApiClient;
let provider: Person;
let ad: { id: string; position: string };
beforeAll(async () => {
  product = await startTestProduct({ exposeVerificationCodes: true, siteUrl: 'https://www.example.org' });
  api = apiClient(product.url);
  provider = await api.signUp('provider');
  const fields = {
    title: `${EVIL} walk`,
    description: DESCRIPTION,
    phone: PHONE,
    socialMedia: { instagram: LINK, website: LINK },
    state: 'NV',
    city: 'Las Vegas',
    category: 'massage',
  };
  ad = await api.postAd(provider.token, fields);
  await api.call('GET', '/api/ads', { headers: { 'x-wait-position': ad.position } });
});
afterAll(() => product.stop());

const page = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${product.url}${path}`, { headers: { accept: 'text/html', ...headers } });
  return { status: answer.status, text: await answer.text() };
};
/** A page waits only so long for its data: this one has it, which its words show. */
const pageWith = (path: string, words: string) =>
  eventually(async () => {
    const answer = await page(path);
    expect(answer.text, path).toContain(words);
    return answer;
  });
const firstAnswers = (html: string) => {
  const [, json] = /id="first-answers">(.*?)<\/script>/su.exec(html) ?? [];
  return json === undefined
    ? null
    : (JSON.parse(json) as { position: string; answers: Record<string, { data: unknown }> });
};

describe('an ad in the first HTML', () => {
  test('is told without any way to reach anybody, and its words do nothing', async () => {
    const listed = await api.call('GET', '/api/ads');
    const [card] = listed.body['data'] as { id: string }[];
    expect(card?.id).toBe(ad.id);
    const [ofAd, ofList] = ['Calm company', 'id="first-answers"'];
    for (const [path, words] of [
      [`/ad/${ad.id}`, ofAd],
      [`/escorts/nv/las-vegas/x/${ad.id}`, ofAd],
      ['/', ofList],
      ['/listings', ofList],
      ['/city/nv/las-vegas', ofList],
    ] as const) {
      const { status, text } = await pageWith(path, words);
      expect(status, path).toBe(200);
      for (const secret of ['555', 'me.here', 'mail.example', 'my-page', 'my_handle', 'secret-profile', provider.email])
        expect(text, `${secret} in ${path}`).not.toContain(secret);
      expect(text).not.toContain('<script>');
    }
    const { text } = await pageWith(`/ad/${ad.id}`, ofAd);
    expect(text).toMatch(/<meta name="description" content="Calm company\. [^"]* for an evening\."/u);
    expect(text).toContain(
      `<link rel="canonical" href="https://www.example.org/escorts/nv/las-vegas/script-script-alert-1-script-walk/${ad.id}">`,
    );
  });

  test('is looked at without a view being counted', async () => {
    for (let i = 0; i < 3; i += 1) await page(`/ad/${ad.id}`);
    const own = await api.call('GET', `/api/ads/${ad.id}`, { token: provider.token });
    expect((own.body['data'] as { views: number }).views).toBe(0);
  });

  test('that was taken down is not found', async () => {
    const other = await api.signUp('provider');
    const { id } = await api.postAd(other.token);
    await expect.poll(async () => (await page(`/ad/${id}`)).status).toBe(200);
    await api.call('DELETE', `/api/ads/${id}`, { token: other.token });
    await expect.poll(async () => (await page(`/ad/${id}`)).status).toBe(404);
  });
});

describe('the first data', () => {
  test('is what the call itself answers, from a position the live channel goes on from', async () => {
    // Past what happened before this test.
    const begun = await api.call('POST', '/api/sync/force');
    const { head } = begun.body['data'] as { head: string };
    const first = await eventually(async () => {
      const found = firstAnswers((await page('/')).text);
      expect(found?.position).toMatch(/^\d{19}/u);
      expect((found?.position ?? '') >= head).toBe(true);
      return found;
    });
    for (const [path, answer] of Object.entries(first?.answers ?? {}))
      expect(answer, path).toEqual((await api.call('GET', path)).body);
    expect(Object.keys(first?.answers ?? {})).toContain('/api/ads');

    const socket = new WebSocket(`${product.url.replace('http', 'ws')}/api/live?since=${first?.position}`);
    const messages: string[] = [];
    socket.on('message', (data) => messages.push((JSON.parse((data as Buffer).toString()) as { adId: string }).adId));
    await new Promise((resolve) => socket.once('open', resolve));
    const later = await api.signUp('provider');
    const { id } = await api.postAd(later.token);
    // Nothing that the answer shows is told again, and what came after it is.
    await eventually(() => expect(messages).toEqual([id]));
    socket.terminate();
  });
});

describe('the sitemap', () => {
  test('has the ads that are listed', async () => {
    const index = await (await fetch(`${product.url}/sitemap.xml`)).text();
    expect(index).toContain('<loc>https://www.example.org/sitemaps/ads-1.xml</loc>');
    expect(await (await fetch(`${product.url}/sitemaps/ads-1.xml`)).text()).toContain(`/${ad.id}</loc>`);
    expect(await (await fetch(`${product.url}/robots.txt`)).text()).toContain(
      'Sitemap: https://www.example.org/sitemap.xml',
    );
  });
});
