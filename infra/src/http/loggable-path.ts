import { OPERATIONS } from '@alpenglow/domain/api';

/** Segments of the URL paths of pages, files and probes. They contain no personal data, so they may be logged. */
const OTHER_SEGMENTS =
  'api uploads photos video mf registry.json assets dev inbox healthz readyz metrics favicon.svg robots.txt ' +
  'sitemap.xml sitemaps pages.xml .well-known security.txt ' +
  'shared.jpg manifest.webmanifest service-worker.js offline login signup listings city escorts ad public-ad ' +
  'profile provider-profile provider-ad my-ads post-ad edit verify-email pricing forgot-password reset-password ' +
  'admin privacy terms about blog community favorites locations status front-ends front-ends.json errors internal ' +
  'pages answer removal help';
const KNOWN_SEGMENTS = new Set([...OPERATIONS.flatMap(({ path }) => path.split('/')), ...OTHER_SEGMENTS.split(' ')]);
/** Matches an id, which is not personal data by itself. */
const ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/u;
const MAX_SEGMENTS = 10;

/**
 * Returns the path of a URL without the query, for spans. Unknown segments and ids are replaced with `*`, because spans
 * leave this installation, and ids may be those of accounts.
 */
export function toSpanPath(url: string): string {
  return toLoggablePath(url)
    .split('/')
    .map((segment) => (ID.test(segment) ? '*' : segment))
    .join('/');
}

/**
 * Returns the path of a URL without the query, for logs. Unknown segments may contain personal data, so they are
 * replaced with `*`.
 */
export function toLoggablePath(url: string): string {
  const [path = ''] = url.split(/[?#]/u, 1);
  const segments = path.split('/', MAX_SEGMENTS);
  return segments
    .map((segment) => (segment === '' || KNOWN_SEGMENTS.has(segment) || ID.test(segment) ? segment : '*'))
    .join('/');
}
