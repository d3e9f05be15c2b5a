import { toLocalePath } from '@alpenglow/ui/locale-path';
import { LOCALES } from '@alpenglow/ui/locales';

/** Paths that crawlers must not request, because their pages are not useful as search results. */
const CLOSED_PAGES = [
  '/admin',
  '/edit/',
  '/favorites',
  '/forgot-password',
  '/login',
  '/my-ads',
  '/post-ad',
  '/pricing',
  '/profile',
  '/provider-ad/',
  '/provider-profile',
  '/removal/',
  '/reset-password',
  '/signup',
  '/status/',
  '/verify-email',
];

/** Returns the content of `robots.txt`. Omits the sitemap if `origin` is null. */
export function createRobotsText(origin: string | null): string {
  const lines = [
    'User-agent: *',
    'Disallow: /api/',
    'Disallow: /en/',
    ...LOCALES.flatMap((locale) => CLOSED_PAGES.map((path) => `Disallow: ${toLocalePath(locale, path)}`)),
    ...(origin === null ? [] : ['', `Sitemap: ${origin}/sitemap.xml`]),
  ];
  return `${lines.join('\n')}\n`;
}
