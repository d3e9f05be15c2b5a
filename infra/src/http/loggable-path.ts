import { CALLS } from '@alpenglow/domain';

/** Words of our own addresses beside those of the API: of pages, files and probes. */
const OTHER_WORDS =
  'api uploads photos video mf registry.json assets dev inbox healthz readyz metrics favicon.svg robots.txt sitemap.xml sitemaps pages.xml shared.jpg manifest.webmanifest login signup listings city escorts ad public-ad profile ' +
  'provider-profile provider-ad my-ads post-ad edit verify-email pricing forgot-password reset-password admin privacy terms about blog community favorites locations status front-ends front-ends.json errors internal pages answer';
const WORDS = new Set([...CALLS.flatMap(([, path]) => path.split('/')), ...OTHER_WORDS.split(' ')]);
/** Ids of ours, which tell nothing by themselves. */
const ID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/u;
const MAX_SEGMENTS = 10;

/** A path as the log may have it: with our own words and ids, and `*` for whatever else somebody put into it. The query is left out. */
export function loggablePath(url: string): string {
  const [path = ''] = url.split(/[?#]/u, 1);
  const segments = path.split('/', MAX_SEGMENTS);
  return segments
    .map((segment) => (segment === '' || WORDS.has(segment) || ID.test(segment) ? segment : '*'))
    .join('/');
}
