import { expect, test } from 'vitest';
import { parseLocalePath, toLocalePath } from '../src/i18n/locale-path.ts';

test.each([
  ['/de/listings', 'de', '/listings'],
  ['/fr', 'fr', '/'],
  ['/it/', 'it', '/'],
  ['/listings', null, '/listings'],
  ['/en/listings', null, '/en/listings'],
  ['/xx/listings', null, '/xx/listings'],
  ['/define', null, '/define'],
])('the path %s has the language %s and the page %s', (pathname, locale, page) => {
  expect(parseLocalePath(pathname)).toEqual({ locale, path: page });
});

test.each(['/de//host.example', '/de/\\host.example', '/fr///host.example'])(
  'no path in another language leads from %s to another site',
  (pathname) => {
    const { path } = parseLocalePath(pathname);
    for (const locale of ['en', 'de', 'it'] as const)
      expect(new URL(toLocalePath(locale, path), 'https://site.example').host).toBe('site.example');
  },
);
