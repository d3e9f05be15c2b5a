import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findCity, isCityInState, slugify, STATES, findState } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoAds } from '../seed/demo-ads.ts';
import { readInitialArticles } from '../seed/initial-articles.ts';
import { demoThreads } from '../seed/demo-threads.ts';

const DAY_ms = 24 * 60 * 60_000;
const TAGS = ['safety', 'etiquette', 'verification', 'privacy', 'cities', 'providers', 'clients'];
const PAGES = [
  '/',
  '/about',
  '/privacy',
  '/terms',
  '/pricing',
  '/listings',
  '/blog',
  '/community',
  '/community/locations',
];
const articles = await readInitialArticles();
const threads = demoThreads();

const linksIn = (markdown: string) => [...markdown.matchAll(/\]\(([^)\s]*)[^)]*\)/gu)].map(([, target = '']) => target);

/**
 * Checks whether a link leads to an existing page. The check compares the path with known paths and sends no request,
 * because the server returns no error for an unknown path.
 */
function isExistingPage(target: string): boolean {
  const [first = '', ...rest] = target.split('/').slice(1);
  const [state = '', city = ''] = first === 'community' ? rest.slice(1) : rest;
  if (PAGES.includes(target)) return true;
  if (first === 'blog') return rest.length === 1 && articles.some(({ slug }) => slug === rest[0]);
  const isCity =
    findState(state) !== null &&
    state === state.toLowerCase() &&
    city === slugify(city) &&
    findCity(city, state) !== null;
  if (first === 'city') return rest.length === 2 && isCity;
  return first === 'community' && rest.length === 3 && rest[0] === 'us' && isCity;
}

/** Matches seven or more digits, with any separators between them. */
const PHONE = /\d(?:[\s().+/-]*\d){6,}/u;
const RAW_HTML = /<[a-z!/]/iu;
const IMAGE = /!\[/u;
const STRAIGHT_QUOTE = /(?<!\\)['"]/u;

test.each([
  '/blog/nothing',
  '/city/nv/atlantis',
  '/city/NV/las-vegas',
  '/community/us/nv',
  '/help',
  'about',
  'https://example.org',
])('%s is not an existing page', (target) => {
  expect(isExistingPage(target)).toBe(false);
});

describe('the initial articles of the blog', () => {
  test('are twelve, with addresses that differ from each other and from those of cities', () => {
    const slugs = articles.map(({ slug }) => slug);
    const citySlugs = STATES.flatMap(({ cities }) => cities.map(slugify));
    expect(slugs).toHaveLength(12);
    expect(new Set(slugs).size).toBe(12);
    expect(slugs.filter((slug) => citySlugs.includes(slug))).toEqual([]);
    expect(new Set(articles.map(({ title }) => title)).size).toBe(12);
  });
  test('are about three cities or about no city', () => {
    expect(articles.flatMap(({ state, city }) => (state === null ? [] : [`${city}, ${state}`])).sort()).toEqual([
      'Las Vegas, NV',
      'Los Angeles, CA',
      'New York City, NY',
    ]);
    for (const { slug, state, city, tags } of articles) {
      expect(state === null ? city === null : isCityInState(state, city ?? ''), slug).toBe(true);
      expect(tags.includes('cities'), slug).toBe(state !== null);
    }
  });
  test('were published on different days, 4 to 90 days ago', () => {
    const days = articles.map(({ publishedDaysAgo }) => publishedDaysAgo);
    expect(new Set(days).size).toBe(12);
    expect(Math.min(...days)).toBeGreaterThanOrEqual(4);
    expect(Math.max(...days)).toBeLessThanOrEqual(90);
  });
  test('use every tag, one to four each', () => {
    expect(new Set(articles.flatMap(({ tags }) => tags))).toEqual(new Set(TAGS));
    for (const { slug, tags } of articles)
      expect(tags.length >= 1 && tags.length <= 4 && new Set(tags).size === tags.length, slug).toBe(true);
  });

  describe.each(articles)('$slug', ({ slug, title, summary, body }) => {
    test('is as long as an article should be', () => {
      const words = body.split(/\s+/u).length;
      expect(words).toBeGreaterThanOrEqual(600);
      expect(words).toBeLessThanOrEqual(1_000);
      expect(title.length).toBeLessThanOrEqual(90);
      expect(summary.length >= 80 && summary.length <= 200).toBe(true);
    });
    test('begins with a paragraph and has headings below its title', () => {
      expect(body).toMatch(/^\p{L}/u);
      expect(body.match(/^## /gmu)?.length ?? 0).toBeGreaterThanOrEqual(3);
      expect(body).not.toMatch(/^# /mu);
    });
    test('has no HTML, no picture, no phone number, and no straight quotes', () => {
      for (const text of [title, summary, body]) {
        for (const unwanted of [RAW_HTML, IMAGE, PHONE, STRAIGHT_QUOTE]) expect(text).not.toMatch(unwanted);
      }
    });
    test('links to existing pages, including the help lines, and not to itself', () => {
      const links = linksIn(body);
      expect(links.filter((target) => !isExistingPage(target))).toEqual([]);
      expect(links).toContain('/about');
      expect(links).not.toContain(`/blog/${slug}`);
    });
  });
});

describe('an article file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-articles-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const frontMatter = {
    title: 'One',
    summary: 's'.repeat(80),
    state: 'NV',
    city: 'Reno',
    tags: '[cities]',
    publishedDaysAgo: '4',
  };
  const put = (
    file: string,
    changes: Partial<Record<keyof typeof frontMatter | 'author', string>> = {},
    body = 'Text',
  ) => {
    const head = Object.entries({ ...frontMatter, ...changes }).map(([name, value]) => `${name}: ${value}`);
    return writeFile(path.join(folder, file), ['---', ...head, '---', body].join('\n'));
  };

  test('is read if it is valid', async () => {
    await put('one.md');
    await writeFile(path.join(folder, 'notes.txt'), 'no article');
    expect(await readInitialArticles(folder)).toEqual([
      {
        slug: 'one',
        title: 'One',
        summary: frontMatter.summary,
        state: 'NV',
        city: 'Reno',
        tags: ['cities'],
        publishedDaysAgo: 4,
        body: 'Text',
      },
    ]);
  });
  test.each([
    [{ title: 't'.repeat(91) }, 'title'],
    [{ summary: 'short' }, 'summary'],
    [{ city: 'Atlantis' }, 'state and city must be a known place'],
    [{ state: 'null' }, 'state and city must be a known place'],
    [{ tags: '[weather]' }, 'tags'],
    [{ tags: '[]' }, 'tags'],
    [{ publishedDaysAgo: '3' }, 'publishedDaysAgo'],
    [{ author: 'somebody' }, 'author'],
    [{ title: '[' }, 'one.md'],
  ])('%j is rejected with the name of the file', async (changes, message) => {
    await put('one.md', changes);
    await expect(readInitialArticles(folder)).rejects.toThrow(/^one\.md: /u);
    await expect(readInitialArticles(folder)).rejects.toThrow(message);
  });
  test('is rejected without front matter, without text, or with a name that is not a slug', async () => {
    await put('one.md', {}, ' ');
    await expect(readInitialArticles(folder)).rejects.toThrow('one.md: has no text');
    await writeFile(path.join(folder, 'one.md'), 'Text');
    await expect(readInitialArticles(folder)).rejects.toThrow('one.md: must begin with front matter');
    await rm(path.join(folder, 'one.md'));
    await put('Not a slug.md');
    await expect(readInitialArticles(folder)).rejects.toThrow('Not a slug.md: the name must be a slug');
  });
});

describe('the initial threads of the community', () => {
  const posts = threads.flatMap((thread) => [thread, ...thread.replies]);

  test('are in about twenty places of all seven states; most places have none', () => {
    for (const { key, state, city } of threads) expect(isCityInState(state, city), key).toBe(true);
    const places = new Set(threads.map(({ state, city }) => `${city}, ${state}`));
    expect(places.size).toBeGreaterThanOrEqual(18);
    expect(places.size).toBeLessThanOrEqual(24);
    expect(new Set(threads.map(({ state }) => state))).toEqual(new Set(STATES.map(({ code }) => code)));
    expect(threads.length).toBeGreaterThanOrEqual(34);
    expect(new Set(threads.map(({ key }) => key)).size).toBe(threads.length);
  });
  test('include two with the same title in one city, and have no duplicate texts', () => {
    const titles = threads.map(({ state, city, title }) => `${state} ${city} ${title}`);
    expect(titles.length - new Set(titles).size).toBe(1);
    const bodies = posts.map(({ body }) => body.toLowerCase().replaceAll(/\s+/gu, ' ').trim());
    expect(bodies.filter((body, index) => body === '' || bodies.indexOf(body) !== index)).toEqual([]);
  });
  test('are written by posters of demo ads, who do not mark their own posts as helpful', () => {
    const count = demoAds().length;
    for (const { author } of posts) expect(Number.isInteger(author) && author >= 0 && author < count).toBe(true);
    for (const { body, author, helpfulBy } of threads.flatMap(({ replies }) => replies)) {
      expect(helpfulBy.includes(author), body).toBe(false);
      expect(new Set(helpfulBy).size, body).toBe(helpfulBy.length);
      expect(
        helpfulBy.every((number) => number >= 0 && number < count),
        body,
      ).toBe(true);
    }
  });
  test('are from the last twenty days, and each reply is newer than the posts before it and its quoted post', () => {
    for (const { key, age_ms, replies } of threads) {
      const ages = [age_ms, ...replies.map((reply) => reply.age_ms)];
      expect(age_ms, key).toBeLessThanOrEqual(20 * DAY_ms);
      expect(ages.at(-1), key).toBeGreaterThan(0);
      expect(
        ages.every((age, index) => index === 0 || age < (ages[index - 1] ?? 0)),
        key,
      ).toBe(true);
      for (const [index, { quotes }] of replies.entries()) {
        if (quotes !== null)
          expect(Number.isInteger(quotes) && quotes >= -1 && quotes < index, `${key}, reply ${index}`).toBe(true);
      }
    }
    expect(threads.some(({ replies }) => replies.some(({ quotes }) => quotes === -1))).toBe(true);
  });
  test('have none, a few, or about thirty replies, and some are pinned', () => {
    const counts = threads.map(({ replies }) => replies.length).sort((a, b) => b - a);
    expect(counts[0]).toBeGreaterThanOrEqual(28);
    expect(counts[1]).toBeLessThanOrEqual(9);
    expect(counts.at(-1)).toBe(0);
    expect(threads.filter(({ isPinned }) => isPinned).length).toBeGreaterThanOrEqual(3);
  });
  test('include a right-to-left script and emoji', () => {
    expect(posts.some(({ body }) => /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(body))).toBe(true);
    expect(posts.some(({ body }) => /\p{Emoji_Presentation}/u.test(body))).toBe(true);
  });
  test('have no HTML, no picture, no contact details, and only links to existing pages', () => {
    for (const { body } of posts)
      for (const unwanted of [RAW_HTML, IMAGE, PHONE, STRAIGHT_QUOTE, /@|https?:|www\./u])
        expect(body).not.toMatch(unwanted);
    const links = posts.flatMap(({ body }) => linksIn(body));
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter((target) => !isExistingPage(target))).toEqual([]);
  });
  test('are the same on every run', () => {
    expect(demoThreads()).toEqual(threads);
  });
});
