import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { statedCommunity } from '../support/community-remote.ts';
import { eventually } from '../support/eventually.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';

const ORIGIN = 'https://www.example.org';
const EVIL = '</script><script>alert(1)</script>';
const PLACE = { country: 'us', state: 'NV', city: 'Las Vegas' };

let product: TestProduct;
let remotes: Awaited<ReturnType<typeof statedCommunity>>;
let api: ApiClient;
let member: Person;
let admin: Person;
beforeAll(async () => {
  remotes = await statedCommunity();
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

const page = async (path: string) => {
  const answer = await fetch(`${product.url}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
};
const fileAt = async (path: string) => (await fetch(`${product.url}${path}`)).text();
const canonicalOf = (html: string) => /<link rel="canonical" href="([^"]*)"/u.exec(html)?.[1];
const firstAnswers = (html: string) => {
  const [, json = 'null'] = /id="first-answers">(.*?)<\/script>/su.exec(html) ?? [];
  return JSON.parse(json) as { position: string; answers: Record<string, unknown> } | null;
};
/** A page waits only so long for its data: this one has it. */
const pageWithData = (path: string) =>
  eventually(async () => {
    const answer = await page(path);
    expect(firstAnswers(answer.text), path).not.toBeNull();
    return answer;
  });
/** Calls as somebody, waits until reads show it, and answers the data. */
async function call(method: string, path: string, { token }: Person, body?: unknown): Promise<Record<string, string>> {
  const answer = await api.call(method, `/api${path}`, { token, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  await api.call('POST', '/api/sync/force');
  return answer.body['data'] as Record<string, string>;
}
const start = (fields: Record<string, unknown> = {}) =>
  call('POST', '/community/threads', member, {
    ...PLACE,
    title: 'Quiet places to meet',
    body: `Where is it calm? ${randomUUID()}`,
    ...fields,
  });
const publish = async (fields: Record<string, unknown> = {}) => {
  const { slug = '' } = await call('POST', '/admin/blog/articles', admin, {
    title: 'Meeting safely',
    summary: 'What helps.',
    body: '## Before\n\nTell a friend, and [read on](/community).',
    ...fields,
  });
  await call('POST', `/admin/blog/articles/${slug}/publish`, admin, {});
  return slug;
};

describe('a thread in the first HTML', () => {
  test('is told by the opening post, without any way to reach anybody, and its words do nothing', async () => {
    const { id = '', path = '' } = await start({
      title: `${EVIL} tea`,
      body: `A calm room. ${EVIL} Call (702) 555-0142 or write to me.here@mail.example.`,
    });
    const { status, text } = await pageWithData(path);
    expect([status, canonicalOf(text)]).toEqual([200, `${ORIGIN}${path}`]);
    const head = text.slice(0, text.indexOf('</head>'));
    expect(head).toMatch(/<meta name="description" content="A calm room\./u);
    for (const secret of ['555', 'me.here', 'mail.example', 'Robin', member.email])
      expect(head, secret).not.toContain(secret);
    expect(text).not.toContain(member.email);
    expect(text).not.toContain('<script>');
    expect(head).toContain('"DiscussionForumPosting"');
    const first = firstAnswers(text);
    expect(Object.keys(first?.answers ?? {})).toEqual([`/api/community/threads/${path.split('/').at(-1)}`]);
    for (const [asked, answer] of Object.entries(first?.answers ?? {}))
      expect(answer, asked).toEqual((await api.call('GET', asked)).body);
    expect(first?.position).toMatch(/^\d{19}/u);
    for (const old of [`/community/${id}`, `/community/us/nv/reno/${path.split('/').at(-1)}`])
      await eventually(async () =>
        expect(await page(`${old}?post=last`)).toMatchObject({ status: 301, location: `${path}?post=last` }),
      );
  });

  test('that is moved leads on from its old address', async () => {
    const { id = '', path = '' } = await start();
    await expect.poll(async () => (await page(path)).status).toBe(200);
    const { path: moved } = await call('PUT', `/admin/community/threads/${id}/place`, admin, {
      ...PLACE,
      city: 'Reno',
    });
    expect(moved).toMatch(/^\/community\/us\/nv\/reno\//u);
    await expect.poll(async () => (await page(path)).location).toBe(moved);
    await expect
      .poll(
        async () =>
          firstAnswers((await page('/community/us/nv/reno')).text)?.answers[
            '/api/community/threads?country=us&state=NV&city=Reno'
          ],
      )
      .toMatchObject({ data: [{ id }] });
  });

  test('that is hidden is not found, and in no list, answer or sitemap; a deleted one is for nobody to find', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const { id = '', path = '' } = await start({ title: `Secret ${word}`, body: `Much about ${word}.` });
    await expect.poll(async () => (await page('/community')).text).toContain(word);
    await call('PUT', `/admin/community/threads/${id}/posts/0/hidden`, admin, { hidden: true, reason: 'Not kind.' });
    await expect.poll(async () => (await page(path)).status).toBe(404);
    for (const target of [path, `/community/${id}`, '/community', '/community/us/nv/las-vegas'])
      await expect
        .poll(async () => (await page(target)).text, { message: target })
        .not.toMatch(new RegExp(`(?:Secret|about) ${word}`, 'u'));
    // The first look at this file: it is kept for a while.
    const { path: listed = '' } = await start({ title: 'Still there' });
    const sitemap = await fileAt('/sitemaps/threads-1.xml');
    expect(sitemap).toContain(`<loc>${ORIGIN}${listed}</loc>`);
    expect(sitemap).not.toContain(word);

    const { id: ownId = '', path: ownPath = '' } = await start({ title: `Mine ${word}` });
    await call('DELETE', `/community/threads/${ownId}/posts/0`, member);
    const location = await eventually(async () => {
      const led = await page(ownPath);
      expect(led.location).toMatch(/\/thread-[0-9a-z]{10}$/u);
      return led.location ?? '';
    });
    await eventually(async () => {
      const { status, text } = await page(location);
      expect([status, text.includes('content="noindex"'), text.includes(word)]).toEqual([200, true, false]);
    });
  });
});

describe('an article in the first HTML', () => {
  test('is told with its text, in the feeds and the sitemap, until it is withdrawn', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const slug = await publish({
      title: `Meeting ${word}`,
      summary: `What helps: ${EVIL}`,
      ...PLACE,
      country: undefined,
      tags: ['safety'],
    });
    const { status, text } = await pageWithData(`/blog/${slug}`);
    expect([status, canonicalOf(text)]).toEqual([200, `${ORIGIN}/blog/${slug}`]);
    expect(text).toContain('"BlogPosting"');
    expect(text).not.toContain('<script>');
    expect(text).toContain(
      `<link rel="alternate" type="application/rss+xml" title="Alpenglow · RSS" href="${ORIGIN}/blog/rss.xml">`,
    );
    const first = firstAnswers(text);
    expect(Object.keys(first?.answers ?? {})).toEqual([`/api/blog/articles/${slug}`]);
    for (const [asked, answer] of Object.entries(first?.answers ?? {}))
      expect(answer, asked).toEqual((await api.call('GET', asked)).body);
    expect(Object.keys(firstAnswers((await pageWithData('/blog/las-vegas')).text)?.answers ?? {})).toEqual([
      '/api/blog/articles?city=Las+Vegas',
    ]);
    for (const feed of ['/blog/rss.xml', '/blog/atom.xml']) {
      await expect.poll(() => fileAt(feed)).toContain(`${ORIGIN}/blog/${slug}`);
      expect(await fileAt(feed)).toContain(`href="${ORIGIN}/community"`);
    }
    expect(await fileAt('/sitemaps/articles.xml')).toContain(`<loc>${ORIGIN}/blog/${slug}</loc>`);

    await call('POST', `/admin/blog/articles/${slug}/withdraw`, admin, { reason: 'Out of date.' });
    await expect.poll(async () => (await page(`/blog/${slug}`)).status).toBe(404);
    await expect.poll(async () => (await page('/blog')).text).not.toContain(word);
    for (const feed of ['/blog/rss.xml', '/blog/atom.xml']) await expect.poll(() => fileAt(feed)).not.toContain(word);
  });

  test('that was never published is not found', async () => {
    const { slug } = await call('POST', '/admin/blog/articles', admin, {
      title: 'Not yet',
      summary: 'Not yet.',
      body: 'Not yet.',
    });
    await eventually(async () => expect((await page(`/blog/${slug}`)).status).toBe(404));
  });
});

describe('the sitemap', () => {
  test('names the files of threads and articles', async () => {
    const index = await fileAt('/sitemap.xml');
    for (const name of ['articles', 'threads-1']) expect(index).toContain(`<loc>${ORIGIN}/sitemaps/${name}.xml</loc>`);
  });
});
