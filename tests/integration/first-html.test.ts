import { createPositionTokens, loadSecrets } from '@alpenglow/infra';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { after, type Person } from '../support/api.ts';
import { readEventLog } from '../support/event-log.ts';
import { eventually } from '../support/eventually.ts';
import { waitForReadModels } from '../support/threads.ts';
import { withoutOwnScripts } from '../../shell/test/test-shell.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

const PHONE = '+1 702 555 0142';
const INSTAGRAM = 'https://instagram.com/secret-profile';
const LINK = 'https://social.example/secret-profile';
const EVIL = '</script><script>alert(1)</script>';
const DESCRIPTION =
  `Calm company. ${EVIL} Call (702) 555-0142 or write to me.here@mail.example, ` +
  'www.my-page.example or @my_handle for an evening.';

const product = testProduct({ exposeVerificationCodes: true, siteUrl: 'https://www.example.org' });
const api = testApi(product);
let provider: Person;
let ad: { id: string; position: string };
beforeAll(async () => {
  provider = await api.signUp('provider');
  const fields = {
    title: `${EVIL} walk 702-555-0188`,
    description: DESCRIPTION,
    phone: PHONE,
    socialMedia: { instagram: INSTAGRAM, website: LINK },
    state: 'NV',
    city: 'Las Vegas',
    category: 'massage',
  };
  ad = await api.postAd(provider.token, fields);
  await api.call('GET', '/api/ads', { headers: after(ad.position) });
});

const fetchPage = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${product.url}${path}`, { headers: { accept: 'text/html', ...headers } });
  return { status: response.status, text: await response.text() };
};
/**
 * Fetches a page until it contains a text. The server renders a page without data if reading the data takes
 * too long.
 */
const fetchPageWith = (path: string, text: string) =>
  eventually(async () => {
    const response = await fetchPage(path);
    expect(response.text, path).toContain(text);
    return response;
  });
const initialDataOf = (html: string) => {
  const [, json] = /id="first-answers">(.*?)<\/script>/su.exec(html) ?? [];
  return json === undefined
    ? null
    : (JSON.parse(json) as {
        readonly position: string | null;
        readonly queries?: {
          readonly queries: readonly {
            readonly queryKey: readonly unknown[];
            readonly state: { readonly data: unknown };
          }[];
        };
      });
};

describe('an ad in the first HTML', () => {
  test('contains no contact details and escaped text only', async () => {
    const listed = await api.call('GET', '/api/ads');
    const [card] = listed.body['data'] as { id: string }[];
    expect(card?.id).toBe(ad.id);
    // The head and the embedded responses are read separately, and either may be late.
    const [adText, listText] = ['<meta name="description" content="Calm company', 'id="first-answers"'];
    for (const [path, expectedText] of [
      [`/ad/${ad.id}`, adText],
      [`/escorts/nv/las-vegas/x/${ad.id}`, adText],
      ['/', listText],
      ['/listings', listText],
      ['/city/nv/las-vegas', listText],
      ['/community?q=walk', ad.id],
    ] as const) {
      const { status, text } = await fetchPageWith(path, expectedText);
      expect(status, path).toBe(200);
      for (const secret of ['me.here', 'mail.example', 'my-page', 'my_handle', 'secret-profile', provider.email])
        expect(text, `${secret} in ${path}`).not.toContain(secret);
      // A part of the number is not enough, because ids and hash values contain such digits by chance.
      expect(text, `a phone number in ${path}`).not.toMatch(/555\D?01\d\d/u);
      expect(withoutOwnScripts(text)).not.toContain('<script>');
    }
    const { text } = await fetchPageWith(`/ad/${ad.id}`, adText);
    expect(text).toMatch(/<meta name="description" content="Calm company\. [^"]* for an evening\."/u);
    const address = `https://www.example.org/escorts/nv/las-vegas/script-script-alert-1-script-walk/${ad.id}`;
    expect(text).toContain(`<link rel="canonical" href="${address}">`);
  });

  test('has its prices and dates, and a mark with a tooltip for each contact detail', async () => {
    const other = await api.signUp('provider');
    const { id, position } = await api.postAd(other.token, {
      title: 'Only $150/200/300 today, call (702) 555-0199 now',
      description:
        'Available 11/30/2026 - 12/04/2026.\nHours 09.00 - 18.00\n34C-26-36 170cm 55kg, seven oh two 555 0199',
    });
    await api.call('GET', '/api/ads', { headers: after(position) });
    const { text } = await fetchPageWith(`/ad/${id}`, '<h1');
    const explanation = 'Contact details appear after “Show contact”';
    const mark = `<button[^>]* title="${explanation}"[^>]*>•••</button><span[^>]*>${explanation}</span>`;
    const html = text.replaceAll('<!-- -->', '');
    expect(html).toMatch(new RegExp(`<h1[^>]*>Only \\$150/200/300 today, call ${mark} now</h1>`, 'u'));
    expect(html).toMatch(/<title>Only \$150\/200\/300 today, call now/u);
    expect(html).toMatch(
      new RegExp(
        `Available 11/30/2026 - 12/04/2026\\.\nHours 09\\.00 - 18\\.00\n34C-26-36 170cm 55kg, ${mark}</p>`,
        'u',
      ),
    );
    await api.call('DELETE', `/api/ads/${id}`, { token: other.token });
  });

  test('is rendered without counting a view', async () => {
    for (let i = 0; i < 3; i += 1) await fetchPage(`/ad/${ad.id}`);
    const own = await api.call('GET', `/api/ads/${ad.id}`, { token: provider.token });
    expect((own.body['data'] as { views: number }).views).toBe(0);
  });

  test('returns 404 for a deleted ad', async () => {
    const other = await api.signUp('provider');
    const { id } = await api.postAd(other.token);
    await expect.poll(async () => (await fetchPage(`/ad/${id}`)).status).toBe(200);
    await api.call('DELETE', `/api/ads/${id}`, { token: other.token });
    await expect.poll(async () => (await fetchPage(`/ad/${id}`)).status).toBe(404);
  });
});

describe('an unknown path', () => {
  test.each([
    ['/no/such/page', 'That page does not exist'],
    ['/de/nirgends?x=1', 'Diese Seite gibt es nicht'],
  ])('%s answers 404 with the home page in the first HTML (R-2.23)', async (path, note) => {
    const { status, text } = await fetchPageWith(path, `/${ad.id}"`);
    expect(status).toBe(404);
    expect(text).toContain(note);
    expect(text).toContain('<meta name="robots" content="noindex">');
    const home = (await fetchPageWith(path.startsWith('/de') ? '/de' : '/', `/${ad.id}"`)).text;
    const mainOf = (html: string) =>
      /<main.*<\/main>/su.exec(html)?.[0].replaceAll(/\s(?:id|for|aria-\w+)="[^"]*"/gu, '');
    expect(mainOf(text)?.replace(/<p role="alert".*?<\/p>/su, '')).toBe(mainOf(home));
  });

  test('shares its page with all other unknown paths', async () => {
    // A page without data is not shared, and a shared page is replaced after a short time.
    await eventually(async () => {
      const pages = await Promise.all(['/one', '/two?a=1', '/three/four'].map((path) => fetchPage(path)));
      expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    });
  });
});

describe('the data in the first HTML', () => {
  test('equals the API response, and has the position for the live channel', async () => {
    // Waits until all events of earlier tests are processed.
    const events = await readEventLog(product.databaseUrl);
    const head = events.at(-1)?.position ?? 0n;
    await waitForReadModels(product.url);
    const { openMarks } = createPositionTokens((await loadSecrets(product.dataDir)).accountIds);
    const first = await eventually(async () => {
      const initialData = initialDataOf((await fetchPage('/')).text);
      const marks = openMarks(initialData?.position ?? '');
      const positions = marks.map(({ position }) => BigInt(position));
      expect(positions).toHaveLength(2);
      expect(positions.filter((position) => position < head)).toEqual([]);
      // The ids of the events show at a later connection whether the log has lost these events.
      expect(marks.map(({ id }) => id)).toEqual(positions.map((at) => events.find((e) => e.position === at)?.id));
      return initialData;
    });
    const dataOf = (name: string) =>
      first?.queries?.queries.find(({ queryKey }) => queryKey[0] === 'ads' && queryKey[1] === name)?.state.data;
    const { body } = await api.call('GET', '/api/ads?details=false');
    expect(dataOf('list')).toMatchObject({ pages: [body] });
    expect(dataOf('counts')).toEqual((await api.call('GET', '/api/ads/counts')).body['data']);

    const socket = new WebSocket(`${product.url.replace('http', 'ws')}/api/live?since=${first?.position}`);
    const messages: string[] = [];
    socket.on('message', (data) => messages.push((JSON.parse((data as Buffer).toString()) as { adId: string }).adId));
    await new Promise((resolve) => socket.once('open', resolve));
    const later = await api.signUp('provider');
    const { id } = await api.postAd(later.token);
    // The live channel sends only messages after the position in the HTML, so it sends only the new ad.
    await eventually(() => expect(messages).toEqual([id]));
    socket.terminate();
  });
});

describe('the sitemap', () => {
  test('contains the listed ads', async () => {
    const index = await (await fetch(`${product.url}/sitemap.xml`)).text();
    expect(index).toContain('<loc>https://www.example.org/sitemaps/ads-1.xml</loc>');
    expect(await (await fetch(`${product.url}/sitemaps/ads-1.xml`)).text()).toContain(`/${ad.id}</loc>`);
    expect(await (await fetch(`${product.url}/robots.txt`)).text()).toContain(
      'Sitemap: https://www.example.org/sitemap.xml',
    );
  });
});
