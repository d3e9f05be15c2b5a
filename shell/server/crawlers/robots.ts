/** Pages of one visitor, pages that only lead on, and calls: nothing to find there. */
const CLOSED = [
  '/api/',
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
  '/reset-password',
  '/signup',
  '/status/',
  '/verify-email',
];

/** `robots.txt`. Without an origin there is no sitemap to name. */
export function robotsText(origin: string | null): string {
  const lines = [
    'User-agent: *',
    ...CLOSED.map((path) => `Disallow: ${path}`),
    ...(origin === null ? [] : ['', `Sitemap: ${origin}/sitemap.xml`]),
  ];
  return `${lines.join('\n')}\n`;
}
