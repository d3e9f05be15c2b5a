import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PageAd, PageReader } from '@alpenglow/domain/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { NO_READS, startTestShell, type TestShell, withoutOwnScripts } from './test-shell.ts';

const EVIL = '</script><script>alert(1)</script>"\'><img src=x onerror=alert(2)>&amp;\u2028';
const AD: PageAd = {
  id: 'ad-1',
  slug: 'an-evening-walk',
  title: 'An evening walk',
  heading: 'An evening walk',
  excerpt: 'Calm company for an evening.',
  category: 'massage',
  state: 'NV',
  city: 'Las Vegas',
  cover: { id: 'm1', width_px: 1280, height_px: 1600 },
  rating: 4.5,
  reviewCount: 2,
  isListed: true,
  updatedAt: '2026-11-20T10:00:00.000Z',
};
const ADS: Readonly<Record<string, PageAd>> = {
  'ad-1': AD,
  evil: { ...AD, id: 'evil', heading: EVIL, excerpt: EVIL, cover: null, reviewCount: 0 },
  '6': { ...AD, id: '6', isListed: false },
};
const catalog = (folder: string, locale: string) =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', folder, `${locale}.json`), 'utf8')) as Record<
    string,
    string
  >;
/**
 * Page titles that both the server and the browser show. The keys are text ids of the server, and the values are the
 * ids of the same texts in mf-listings.
 */
const SAME_TITLES = {
  homeTitle: 'heroTitle',
  listings: 'listTitle',
  listingsIn: 'listTitleIn',
  categoryAds: 'categoryTitle',
  categoryAdsIn: 'categoryTitleIn',
  placeUnknown: 'placeUnknownTitle',
  favorites: 'favorites',
};
const requestedPaths: string[] = [];
const READS: PageReader = {
  ...NO_READS,
  readApiResponse: (path) => {
    requestedPaths.push(path);
    const data = path.startsWith('/api/ads/counts')
      ? { total: 1 }
      : [1, 2].map((number) => ({
          id: `ad-${number}`,
          state: 'NV',
          city: 'Las Vegas',
          title: EVIL,
          slug: 'script-alert',
          media: [{ id: `m${number}`, status: 'ready', width: 800 }],
        }));
    return Promise.resolve({
      body: JSON.stringify({ success: true, data }),
      position: path.includes('counts') ? '0000000000000000007' : '0000000000000000009',
    });
  },
  findAd: (id) => Promise.resolve(ADS[id] ?? null),
  isFormerAd: (id) => Promise.resolve(id === 'removed'),
};

let shell: TestShell;
beforeAll(async () => {
  shell = await startTestShell(READS);
});
afterAll(() => shell.stop());
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
const served = async (reads: PageReader | null, siteUrl?: string | null) => {
  const other = await startTestShell(reads, siteUrl);
  stops.push(() => other.stop());
  return other;
};

const unescaped = (text = '') =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
function readHead(html: string) {
  const firstMatch = (pattern: RegExp) => pattern.exec(html)?.[1];
  const json = firstMatch(/<script type="application\/ld\+json">(.*?)<\/script>/su);
  const first = firstMatch(/<script type="application\/json" id="first-answers">(.*?)<\/script>/su);
  return {
    lang: firstMatch(/<html lang="(\w+)"/u),
    title: unescaped(firstMatch(/<title>(.*?)<\/title>/su)),
    description: unescaped(firstMatch(/<meta name="description" content="([^"]*)"/u)),
    canonical: firstMatch(/<link rel="canonical" href="([^"]*)"/u),
    robots: firstMatch(/<meta name="robots" content="([^"]*)"/u),
    og: (name: string) => unescaped(firstMatch(new RegExp(`<meta property="og:${name}" content="([^"]*)"`, 'u'))),
    things: json === undefined ? [] : (JSON.parse(json) as { '@graph': Record<string, unknown>[] })['@graph'],
    first:
      first === undefined ? null : (JSON.parse(first) as { position: string | null; answers: Record<string, unknown> }),
  };
}
const headAt = async (target: string, headers: Readonly<Record<string, string>> = {}, from = shell) =>
  readHead((await from.get(target, headers)).text);
/** Requests a page, and the page to which the server redirects. */
async function followed(target: string, headers: Readonly<Record<string, string>>) {
  const response = await shell.get(target, headers);
  return response.status === 302 ? shell.get(response.headers.location ?? '', headers) : response;
}
const typesOf = (things: readonly Record<string, unknown>[]) => things.map((thing) => thing['@type']);

describe('languages', () => {
  test.each([
    ['en', 'Ads in Las Vegas'],
    ['de', 'Inserate in Las Vegas'],
    ['fr', 'Annonces'],
    ['it', 'Annunci'],
  ])('%s', async (lang, city) => {
    const page = await followed('/', { 'accept-language': `${lang}-CH,en;q=0.5` });
    expect(readHead(page.text)).toMatchObject({
      lang,
      title: `${catalog('shell/server/locales', lang)['homeTitle']} · Alpenglow`,
    });
    expect(page.text).toContain(`>${catalog('shell/src/locales', lang)['loading']}</p>`);
    expect(page.text).toMatch(/<noscript>.*18.*<\/noscript>/su);
    expect(page.headers.vary).toContain('Accept-Language, Cookie');
    const inCity = await followed('/city/nv/las-vegas?q=a', { cookie: `a=b; locale=${lang}; c` });
    expect(readHead(inCity.text).title).toMatch(new RegExp(`^${city}.* · Alpenglow$`, 'u'));
  });

  it('prefers the visitor’s choice to the browser’s languages, and ignores an invalid choice', async () => {
    const languageOf = async (headers: Readonly<Record<string, string>>) =>
      readHead((await followed('/', headers)).text).lang;
    expect(await languageOf({ cookie: 'locale=fr', 'accept-language': 'de' })).toBe('fr');
    expect(await languageOf({ cookie: 'locale=xx"><script>', 'accept-language': 'de' })).toBe('de');
    expect(await languageOf({ 'accept-language': 'rm, it;q=0.8, de;q=0.9' })).toBe('de');
    expect(await languageOf({ 'accept-language': '*' })).toBe('en');
  });

  it('have one URL each, which the visitor’s choice does not change', async () => {
    const moved = await shell.get('/listings?q=a', { cookie: 'locale=de' });
    expect([moved.status, moved.headers.location]).toEqual([302, '/de/listings?q=a']);
    expect(moved.headers.vary).toContain('Accept-Language, Cookie');
    expect((await shell.get('/', { 'accept-language': 'it' })).headers.location).toBe('/it');
    const french = await shell.get('/fr/listings', { cookie: 'locale=de', 'accept-language': 'it' });
    expect([french.status, readHead(french.text).lang]).toEqual([200, 'fr']);
    expect((await shell.get('/fr/api/ads')).status).toBe(404);
    expect((await shell.get('/xx/listings')).text).toContain('<html lang="en"');
  });

  it('are linked from each page that search engines may index', async () => {
    const { text } = await shell.get('/de/city/nv/las-vegas?category=massage');
    const site = 'https://www.example.org';
    expect(text).toContain(`<link rel="canonical" href="${site}/de/city/nv/las-vegas?category=massage">`);
    const links = [...text.matchAll(/<link rel="alternate" hreflang="([\w-]+)" href="([^"]+)">/gu)];
    const path = '/city/nv/las-vegas?category=massage';
    expect(links.map(([, language, href]) => [language, href])).toEqual([
      ['en', site + path],
      ['de', `${site}/de${path}`],
      ['fr', `${site}/fr${path}`],
      ['it', `${site}/it${path}`],
      ['x-default', site + path],
    ]);
    expect((await shell.get('/de/listings?q=a')).text).not.toContain('hreflang');
    expect((await shell.get('/de/favorites')).text).not.toContain('hreflang');
  });

  it('have the same texts with the same parameters, and the titles and category names of the pages', () => {
    const parameters = (text = '') => [...text.matchAll(/\{(\w+)/gu)].map(([, name]) => name).sort();
    const english = catalog('shell/server/locales', 'en');
    for (const locale of ['en', 'de', 'fr', 'it']) {
      const texts = catalog('shell/server/locales', locale);
      expect(Object.keys(texts)).toEqual(Object.keys(english));
      for (const [id, text] of Object.entries(texts))
        expect(parameters(text), `${locale} ${id}`).toEqual(parameters(english[id]));
      const shared = catalog('ui/src/locales', locale);
      for (const id of Object.keys(texts).filter((textId) => textId.startsWith('categories.')))
        expect(texts[id]).toBe(shared[id]);
      const pages = ['locales', 'pages/home-texts/locales', 'pages/city-texts/locales'];
      const lists = Object.assign({}, ...pages.map((folder) => catalog(`mf-listings/src/${folder}`, locale))) as Record<
        string,
        string
      >;
      for (const [id, inLists] of Object.entries(SAME_TITLES))
        expect(texts[id], `${locale} ${id}`).toBe(lists[inLists]);
    }
  });
});

describe('colors', () => {
  it('follow the visitor’s choice before any script runs', async () => {
    const dark = (await shell.get('/', { cookie: 'theme=dark' })).text;
    expect(dark).toContain('<html lang="en" data-theme="dark">');
    expect(dark).toContain('<meta name="color-scheme" content="dark">');
    expect(dark).toContain('content="#14131c" media="all"');
    expect(dark).toContain('content="#fbf9f7" media="not all"');
    expect((await shell.get('/', { cookie: 'theme=pink' })).text).toContain('<html lang="en">');
  });
});

describe('the kind of a page', () => {
  it('home: the site with its search', async () => {
    const head = await headAt('/');
    expect(head).toMatchObject({ canonical: 'https://www.example.org/', robots: undefined });
    expect(typesOf(head.things)).toEqual(['WebSite', 'Organization']);
    expect(JSON.stringify(head.things)).toContain('https://www.example.org/listings?q={search_term_string}');
    expect([head.og('url'), head.og('site_name'), head.og('type'), head.og('locale'), head.og('image')]).toEqual([
      'https://www.example.org/',
      'Alpenglow',
      'website',
      'en_US',
      'https://www.example.org/shared.jpg',
    ]);
  });

  it('an ad: an offer in a city with breadcrumbs, but without personal data', async () => {
    const head = await headAt('/ad/ad-1');
    const url = 'https://www.example.org/escorts/nv/las-vegas/an-evening-walk/ad-1';
    expect(head).toMatchObject({
      title: 'An evening walk, Las Vegas, NV · Alpenglow',
      description: AD.excerpt,
      canonical: url,
      robots: undefined,
    });
    expect([
      head.og('title'),
      head.og('url'),
      head.og('image'),
      head.og('image:width'),
      head.og('image:height'),
    ]).toEqual([head.title, url, 'https://www.example.org/uploads/photos/m1/640.jpg', '640', '800']);
    expect(head.things[0]).toMatchObject({
      '@type': 'Offer',
      url,
      itemOffered: {
        '@type': 'Service',
        name: AD.heading,
        serviceType: 'Massage',
        areaServed: { '@type': 'City', name: 'Las Vegas', containedInPlace: { name: 'Nevada' } },
        aggregateRating: { ratingValue: 4.5, reviewCount: 2 },
      },
    });
    expect(head.things[1]).toMatchObject({
      '@type': 'BreadcrumbList',
      itemListElement: [
        { name: 'Home' },
        { name: 'Nevada', item: 'https://www.example.org/listings?state=NV' },
        { name: 'Las Vegas', item: 'https://www.example.org/city/nv/las-vegas' },
        { name: AD.heading, item: url },
      ],
    });
    expect((await headAt('/escorts/xx/yy/any-words/ad-1')).canonical).toBe(url);
  });

  test.each([
    ['/city/NV/Las%20Vegas', '/city/nv/las-vegas'],
    ['/city/las-vegas?category=escort', '/city/nv/las-vegas?category=escort'],
    ['/city/NV/New%20York', '/city/NV/New%20York'],
    ['/city/NY/New%20York', '/city/ny/new-york-city'],
    ['/city/new-york', '/city/ny/new-york-city'],
    ['/city/fl/Saint%20Petersburg', '/city/fl/st-petersburg'],
    ['/city/nyc', '/city/ny/new-york-city'],
    ['/city/N.%20Las%20Vegas', '/city/nv/north-las-vegas'],
    ['/city/nv/Carson', '/city/nv/carson-city'],
    ['/city/las-vegas-nv', '/city/nv/las-vegas'],
    ['/city/New%20York,%20NY?category=escort', '/city/ny/new-york-city?category=escort'],
    ['/city/tx/Mc%20Kinney', '/city/tx/mckinney'],
    ['/city/texas/ft-worth/', '/city/tx/fort-worth'],
    ['/de/city/Vegas', '/de/city/nv/las-vegas'],
    ['/city/peoria', '/city/peoria'],
    ['/ad/gone.', '/ad/gone'],
    ['/ad/GONE', '/ad/gone'],
    ['/ad/gone)', '/ad/gone'],
    ['/ad/gone%29?ref=mail', '/ad/gone'],
    ['/ad/gone%E2%80%9D', '/ad/gone'],
    ['/escorts/nv/las-vegas/x/gone),', '/escorts/nv/las-vegas/x/gone'],
    ['/public-ad/gone!', '/public-ad/gone'],
    ['/ad/...', '/ad/...'],
    ['//example.com/login.', '//example.com/login.'],
    ['//ad/ad-1.', '//ad/ad-1.'],
    ['/ad/ad-1', '/ad/ad-1'],
  ])('%s leads to %s (R-2.80)', async (target, location) => {
    const { headers } = await shell.get(target);
    expect(headers.location ?? target).toBe(location);
  });

  it('an ad that does not exist: status 404, not indexed', async () => {
    for (const target of ['/ad/gone', '/escorts/nv/las-vegas/x/gone', '/public-ad/gone']) {
      const { status, text } = await shell.get(target);
      expect([status, readHead(text)]).toMatchObject([
        404,
        { title: 'Ad not found · Alpenglow', robots: 'noindex', canonical: undefined, things: [] },
      ]);
      expect(text).toContain('<div id="root">');
    }
  });

  it('an ad that was removed: status 404, with another title than a wrong address (R-2.85)', async () => {
    for (const target of ['/ad/removed', '/escorts/nv/las-vegas/x/removed']) {
      const { status, text } = await shell.get(target);
      expect([status, readHead(text)]).toMatchObject([
        404,
        { title: 'This ad is no longer online · Alpenglow', robots: 'noindex', canonical: undefined, things: [] },
      ]);
    }
    expect((await headAt('/de/ad/removed')).title).toBe('Dieses Inserat ist nicht mehr online · Alpenglow');
  });

  it('an ad that is not listed: its page exists, but is not indexed', async () => {
    expect([(await shell.get('/ad/6')).status, await headAt('/ad/6')]).toMatchObject([
      200,
      { robots: 'noindex', things: [] },
    ]);
  });

  test.each([
    ['/listings', 'Browse ads', '/listings'],
    ['/listings?state=nv', 'Ads in Nevada', '/listings?state=NV'],
    ['/listings?state=NV&city=las-vegas', 'Ads in Las Vegas', '/city/nv/las-vegas'],
    ['/listings?category=massage', 'Massage ads', '/listings?category=massage'],
    ['/listings?utm_source=x', 'Browse ads', '/listings'],
    ['/city/nv/las-vegas?category=escort', 'Escort ads in Las Vegas', '/city/nv/las-vegas?category=escort'],
    ['/blog', 'Blog', '/blog'],
    ['/blog/las-vegas', 'Blog: Las Vegas', '/blog/las-vegas'],
    ['/community', 'Community', '/community'],
    ['/community/locations', 'Community by place', '/community/locations'],
    ['/community/US/nevada/las-vegas', 'Community: Las Vegas', '/community/us/nv/las-vegas'],
  ])('%s: a collection with the title %s and the canonical path %s', async (target, title, canonical) => {
    const head = await headAt(target);
    expect(head).toMatchObject({
      title: `${title} · Alpenglow`,
      canonical: `https://www.example.org${canonical}`,
      robots: undefined,
    });
    expect(typesOf(head.things)).toEqual(['CollectionPage', 'BreadcrumbList']);
  });

  test.each(['/about', '/help', '/privacy', '/removal', '/terms'])('%s is indexed', async (target) => {
    expect(await headAt(target)).toMatchObject({ canonical: `https://www.example.org${target}`, robots: undefined });
  });

  test.each([
    '/login',
    '/signup',
    '/verify-email',
    '/forgot-password',
    '/reset-password',
    '/pricing',
    '/profile',
    '/provider-profile',
    '/provider-ad/ad-1',
    '/my-ads',
    '/account/decisions',
    '/account/decisions/d-1',
    '/decisions/d-1',
    '/favorites',
    '/post-ad',
    '/edit/ad-1',
    '/admin',
    '/admin/users',
    '/status/front-ends',
  ])('%s is not indexed', async (target) => {
    const { status, text } = await shell.get(target);
    expect([status, readHead(text)]).toMatchObject([200, { robots: 'noindex', canonical: undefined, things: [] }]);
  });

  test.each(['/listings?sort=price', '/listings?q=walk', '/city/nv/las-vegas?minPrice=50'])(
    '%s is not indexed and names the whole list as canonical',
    async (target) => {
      expect(await headAt(target)).toMatchObject({
        robots: 'noindex',
        canonical: expect.not.stringMatching(/sort|q=|minPrice/u),
      });
    },
  );

  it.each(['/nowhere/at/all', '/blog/a/b'])('an unknown path, %s: status 404', async (path) => {
    expect([(await shell.get(path)).status, await headAt(path)]).toMatchObject([404, { robots: 'noindex' }]);
  });

  it('an unknown city: status 404', async () => {
    expect([(await shell.get('/city/nv/atlantis')).status, await headAt('/city/nv/atlantis')]).toMatchObject([
      404,
      { title: 'We do not cover this place yet · Alpenglow', robots: 'noindex' },
    ]);
  });
});

describe('the embedded API responses', () => {
  it('of the home page have the positions of all of them', async () => {
    expect((await headAt('/')).first).toMatchObject({
      position: '0000000000000000009,0000000000000000007',
      answers: { '/api/ads': { success: true }, '/api/ads/counts': { success: true } },
    });
  });

  test.each([
    ['/listings', '/api/ads'],
    ['/listings?category=massage&state=nv&x=1', '/api/ads?state=NV&category=massage'],
    ['/listings?sort=price&q=a%20b&city=&category=none', '/api/ads?q=a+b&sort=price'],
    ['/city/nv/las-vegas', '/api/ads?state=NV&city=Las+Vegas'],
    ['/city/nv/las-vegas?category=escort&state=CA', '/api/ads?state=NV&city=Las+Vegas&category=escort'],
  ])('of %s is the response to %s', async (target, apiPath) => {
    expect(Object.keys((await headAt(target)).first?.answers ?? {})).toEqual([apiPath]);
  });

  it('of the home page with an unknown parameter are those of the home page', async () => {
    expect((await headAt('/?x=1')).first).toEqual((await headAt('/')).first);
  });

  it('of an unknown path are those of the home page (R-2.23)', async () => {
    expect((await headAt('/nowhere?x=1')).first).toEqual((await headAt('/')).first);
  });

  test.each(['/city/nv/atlantis', '/ad/ad-1', '/login'])('of %s: none', async (target) => {
    expect((await headAt(target)).first).toBeNull();
  });

  it('are the source of the list for search engines', async () => {
    expect(JSON.stringify((await headAt('/city/nv/las-vegas')).things)).toContain('"numberOfItems":2');
  });

  it('cause preloads of the first pictures, with the sizes of the page, if the remote declares them', async () => {
    const picture =
      '<link rel="preload" as="image" type="image/avif" fetchpriority="high" imagesrcset="' +
      '/uploads/photos/m1/320.avif 320w, /uploads/photos/m1/640.avif 640w, /uploads/photos/m1/1600.avif 800w" ' +
      'imagesizes="(max-width: 39.99rem) 46vw">';
    for (const target of ['/listings', '/city/nv/las-vegas'])
      expect((await shell.get(target)).text.split('\n').filter((line) => line.includes('as="image"'))).toEqual([
        picture,
      ]);
    for (const target of ['/', '/ad/ad-1']) expect((await shell.get(target)).text).not.toContain('as="image"');
  });

  it('are read once per second, however many pages need them', async () => {
    const other = await served(READS);
    requestedPaths.length = 0;
    // The clock does not advance, so that all requests are within a second on a busy machine too.
    const now_ms = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now_ms);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => other.get(index % 2 === 0 ? '/listings' : `/listings?utm=${index}`)),
    );
    expect(requestedPaths).toEqual(['/api/ads']);
    clock.mockReturnValue(now_ms + 1_000);
    await other.get('/listings');
    expect(requestedPaths).toEqual(['/api/ads', '/api/ads']);
  });

  it('are the same for every visitor', async () => {
    const [visitor, user] = [
      await shell.get('/listings'),
      await shell.get('/listings', { cookie: 'session=secret', authorization: 'Bearer secret' }),
    ];
    expect(user.text).toBe(visitor.text);
  });
});

describe('text of users', () => {
  it('cannot inject markup anywhere', async () => {
    for (const target of [
      '/ad/evil',
      '/listings',
      `/listings?q=${encodeURIComponent(EVIL)}`,
      `/city/${encodeURIComponent(EVIL)}`,
      `/${EVIL.replaceAll(/[\s\u2028]/gu, '')}`,
    ]) {
      const { text } = await shell.get(encodeURI(decodeURI(target)));
      expect(withoutOwnScripts(text)).not.toMatch(/<script>|<img|alert\(1\)<\/script>/u);
      for (const [, script] of withoutOwnScripts(text).matchAll(/<script[^>]*>(.*?)<\/script>/gsu))
        expect(script).not.toMatch(/[<>&\u2028]/u);
      expect([...text.matchAll(/<script[ >]/gu)].length, target).toBe([...text.matchAll(/<\/script>/gu)].length);
    }
    const head = await headAt('/ad/evil');
    expect(head.title).toContain(EVIL);
    expect(JSON.stringify(head.things)).toContain('alert(1)');
    expect(JSON.stringify((await headAt('/listings')).first)).toContain('alert(1)');
  });
});

describe('if data is slow or fails', () => {
  it('the page is sent without data, in time, and never as an error', async () => {
    // The page reads never resolve, so the server must send the page without their data.
    const never = await served({
      ...NO_READS,
      readApiResponse: () => new Promise(() => undefined),
      findAd: () => new Promise(() => undefined),
    });
    for (const target of ['/', '/ad/ad-1']) {
      const { status, text } = await never.get(target);
      expect([status, readHead(text).first, readHead(text).robots]).toEqual([200, null, undefined]);
    }
    const failing = await served({
      ...NO_READS,
      readApiResponse: () => Promise.reject(new Error('gone')),
      findAd: () => Promise.reject(new Error('gone')),
    });
    for (const target of ['/', '/listings?state=NV', '/ad/ad-1']) expect((await failing.get(target)).status).toBe(200);
    expect(failing.warnings).toContain('a page came without data');
  });
});

describe('URLs', () => {
  it('never contain the Host header, except on this machine', async () => {
    const withoutOrigin = await served(READS, null);
    expect(await headAt('/about', { host: 'evil.example' }, withoutOrigin)).toMatchObject({ canonical: '/about' });
    expect(
      (await withoutOrigin.get('/', { host: 'evil.example', 'x-forwarded-host': 'evil.example' })).text,
    ).not.toContain('evil.example');
    expect((await headAt('/about', { host: 'localhost:8080' }, withoutOrigin)).canonical).toBe(
      'http://localhost:8080/about',
    );
    expect((await headAt('/about', { host: 'localhost:8080' })).canonical).toBe('https://www.example.org/about');
  });
});
