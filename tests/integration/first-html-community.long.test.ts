import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { createCommunityRemote } from '../support/community-remote.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';
import { waitForReadModels } from '../support/threads.ts';
import { withoutOwnScripts } from '../../shell/test/test-shell.ts';

const ORIGIN = 'https://www.example.org';
const EVIL = '</script><script>alert(1)</script>';
const PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' };

let product: TestProduct;
let remotes: Awaited<ReturnType<typeof createCommunityRemote>>;
let api: ApiClient;
let member: Person;
let admin: Person;
beforeAll(async () => {
  remotes = await createCommunityRemote();
  product = await startTestProduct({ siteUrl: ORIGIN, mfDir: remotes.mfDir });
  api = apiClient(product.url);
  const recording = await openRecording(product);
  [member, admin] = await Promise.all([
    recording.member({ displayName: 'Robin Winter' }),
    recording.member({ email: 'admin@example.com' }),
  ]);
  await recording.close();
});
afterAll(async () => {
  await product.stop();
  await remotes.remove();
});

const fetchPage = async (path: string) => {
  const response = await fetch(`${product.url}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
};
const fetchText = async (path: string) => (await fetch(`${product.url}${path}`)).text();
const canonicalOf = (html: string) => /<link rel="canonical" href="([^"]*)"/u.exec(html)?.[1];
const initialDataOf = (html: string) => {
  const [, json = 'null'] = /id="first-answers">(.*?)<\/script>/su.exec(html) ?? [];
  return JSON.parse(json) as { position: string; answers: Record<string, unknown> } | null;
};
/**
 * Fetches a page until it contains data, and `headText` from its head. The server renders a page without data if
 * reading the data takes too long. It reads the head and the embedded responses separately.
 */
const fetchPageWithData = (path: string, headText = '') =>
  eventually(async () => {
    const response = await fetchPage(path);
    expect(initialDataOf(response.text), path).not.toBeNull();
    expect(response.text, path).toContain(headText);
    return response;
  });
/** Sends a write request of a person and waits for the read models. Returns the data of the response. */
async function write(method: string, path: string, { token }: Person, body?: unknown): Promise<Record<string, string>> {
  const response = await api.call(method, `/api${path}`, { token, ...(body !== undefined && { body }) });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  await waitForReadModels(product.url);
  return response.body['data'] as Record<string, string>;
}
const start = (fields: Record<string, unknown> = {}) =>
  write('POST', '/community/threads', member, {
    ...PLACE,
    title: 'Quiet places to meet',
    body: `Where is it calm? ${randomUUID()}`,
    ...fields,
  });
const publish = async (fields: Record<string, unknown> = {}) => {
  const { slug = '' } = await write('POST', '/admin/blog/articles', admin, {
    title: 'Meeting safely',
    summary: 'What helps.',
    body: '## Before\n\nTell a friend, and [read on](/community).',
    ...fields,
  });
  await write('POST', `/admin/blog/articles/${slug}/publish`, admin, {});
  return slug;
};

describe('a thread in the first HTML', () => {
  test('contains the opening post without contact details and with escaped text', async () => {
    const { id = '', path = '' } = await start({
      title: `${EVIL} tea`,
      body: `A calm room. ${EVIL} Call (702) 555-0142 or write to me.here@mail.example.`,
    });
    const { status, text } = await fetchPageWithData(path, '"DiscussionForumPosting"');
    expect([status, canonicalOf(text)]).toEqual([200, `${ORIGIN}${path}`]);
    const head = text.slice(0, text.indexOf('</head>'));
    expect(head).toMatch(/<meta name="description" content="A calm room\./u);
    for (const secret of ['555', 'me.here', 'mail.example', 'Robin', member.email])
      expect(head, secret).not.toContain(secret);
    expect(text).not.toContain(member.email);
    expect(withoutOwnScripts(text)).not.toContain('<script>');
    expect(head).toContain('"DiscussionForumPosting"');
    const first = initialDataOf(text);
    expect(Object.keys(first?.answers ?? {})).toEqual([`/api/community/threads/${path.split('/').at(-1)}`]);
    for (const [url, response] of Object.entries(first?.answers ?? {}))
      expect(response, url).toEqual((await api.call('GET', url)).body);
    expect(first?.position).toMatch(/^[\w-]{80,}$/u);
    for (const oldPath of [`/community/${id}`, `/community/us/nv/reno/${path.split('/').at(-1)}`])
      await eventually(async () =>
        expect(await fetchPage(`${oldPath}?post=last`)).toMatchObject({ status: 301, location: `${path}?post=last` }),
      );
  });

  test('redirects from the old address after a move', async () => {
    const { id = '', path = '' } = await start();
    await expect.poll(async () => (await fetchPage(path)).status).toBe(200);
    const { path: moved } = await write('PUT', `/admin/community/threads/${id}/place`, admin, {
      ...PLACE,
      city: 'Reno',
    });
    expect(moved).toMatch(/^\/community\/us\/nv\/reno\//u);
    await expect.poll(async () => (await fetchPage(path)).location).toBe(moved);
    await expect
      .poll(
        async () =>
          initialDataOf((await fetchPage('/community/us/nv/reno')).text)?.answers[
            '/api/community/threads?country=us&state=NV&city=Reno'
          ],
      )
      .toMatchObject({ data: [{ id }] });
  });

  test('returns 404 for a hidden thread and omits it everywhere; a deleted thread is not indexed', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const { id = '', path = '' } = await start({ title: `Secret ${word}`, body: `Much about ${word}.` });
    await expect.poll(async () => (await fetchPage('/community')).text).toContain(word);
    await write('PUT', `/admin/community/threads/${id}/posts/0/hidden`, admin, { hidden: true, reason: 'Not kind.' });
    await expect.poll(async () => (await fetchPage(path)).status).toBe(404);
    for (const target of [path, `/community/${id}`, '/community', '/community/us/nv/las-vegas'])
      await expect
        .poll(async () => (await fetchPage(target)).text, { message: target })
        .not.toMatch(new RegExp(`(?:Secret|about) ${word}`, 'u'));
    // This must be the first request for the sitemap, because the response is cached.
    const { path: listed = '' } = await start({ title: 'Still there' });
    const sitemap = await fetchText('/sitemaps/threads-1.xml');
    expect(sitemap).toContain(`<loc>${ORIGIN}${listed}</loc>`);
    expect(sitemap).not.toContain(word);

    const { id: ownId = '', path: ownPath = '' } = await start({ title: `Mine ${word}` });
    await write('DELETE', `/community/threads/${ownId}/posts/0`, member);
    const location = await eventually(async () => {
      const redirect = await fetchPage(ownPath);
      expect(redirect.location).toMatch(/\/thread-[0-9a-z]{10}$/u);
      return redirect.location ?? '';
    });
    await eventually(async () => {
      const { status, text } = await fetchPage(location);
      expect([status, text.includes('content="noindex"'), text.includes(word)]).toEqual([200, true, false]);
    });
  });
});

describe('an article in the first HTML', () => {
  test('is complete, in the feeds and in the sitemap until it is withdrawn', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const slug = await publish({
      title: `Meeting ${word}`,
      summary: `What helps: ${EVIL}`,
      ...PLACE,
      country: undefined,
      tags: ['safety'],
    });
    const { status, text } = await fetchPageWithData(`/blog/${slug}`, '"BlogPosting"');
    expect([status, canonicalOf(text)]).toEqual([200, `${ORIGIN}/blog/${slug}`]);
    expect(text).toContain('"BlogPosting"');
    expect(withoutOwnScripts(text)).not.toContain('<script>');
    expect(text).toContain(
      `<link rel="alternate" type="application/rss+xml" title="Alpenglow · RSS" href="${ORIGIN}/blog/rss.xml">`,
    );
    const first = initialDataOf(text);
    expect(Object.keys(first?.answers ?? {})).toEqual([`/api/blog/articles/${slug}`]);
    for (const [url, response] of Object.entries(first?.answers ?? {}))
      expect(response, url).toEqual((await api.call('GET', url)).body);
    expect(Object.keys(initialDataOf((await fetchPageWithData('/blog/las-vegas')).text)?.answers ?? {})).toEqual([
      '/api/blog/articles?city=Las+Vegas',
    ]);
    for (const feed of ['/blog/rss.xml', '/blog/atom.xml']) {
      await expect.poll(() => fetchText(feed)).toContain(`${ORIGIN}/blog/${slug}`);
      expect(await fetchText(feed)).toContain(`href="${ORIGIN}/community"`);
    }
    expect(await fetchText('/sitemaps/articles.xml')).toContain(`<loc>${ORIGIN}/blog/${slug}</loc>`);

    await write('POST', `/admin/blog/articles/${slug}/withdraw`, admin, { reason: 'Out of date.' });
    await expect.poll(async () => (await fetchPage(`/blog/${slug}`)).status).toBe(404);
    await expect.poll(async () => (await fetchPage('/blog')).text).not.toContain(word);
    for (const feed of ['/blog/rss.xml', '/blog/atom.xml'])
      await expect.poll(() => fetchText(feed)).not.toContain(word);
  });

  test('returns 404 for an article that was never published', async () => {
    const { slug } = await write('POST', '/admin/blog/articles', admin, {
      title: 'Not yet',
      summary: 'Not yet.',
      body: 'Not yet.',
    });
    await eventually(async () => expect((await fetchPage(`/blog/${slug}`)).status).toBe(404));
  });
});

describe('the sitemap', () => {
  test('links the files of threads and articles', async () => {
    const index = await fetchText('/sitemap.xml');
    for (const name of ['articles', 'threads-1']) expect(index).toContain(`<loc>${ORIGIN}/sitemaps/${name}.xml</loc>`);
  });
});
