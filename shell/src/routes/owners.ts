/**
 * Maps the paths of the site to their owners. The owner of a path is the package that shows its page.
 * The server also imports this module to preload the files of the owner, so the module has no side effects.
 */
import type { RemoteName } from '@alpenglow/ui';

/** The visitors who may open a page. `staff` are moderators and admins. Other visitors are redirected. */
export type Access = 'everyone' | 'signed-in' | 'staff';

export interface Area {
  readonly owner: RemoteName | 'shell';
  readonly access: Access;
  /** True if the first HTML contains the page. Pages that depend on the visitor are rendered only by the browser. */
  readonly isServerRendered: boolean;
}

const area = (owner: Area['owner'], access: Access = 'everyone'): Area => ({
  owner,
  access,
  isServerRendered: access === 'everyone',
});

/** An area that everyone may open, and that only the browser renders. Most depend on the visitor or on the URL. */
const browserRenderedArea = (owner: Area['owner']): Area => ({ ...area(owner), isServerRendered: false });

/**
 * The areas of the site by path pattern. A name in braces matches one segment, and a final `*` matches any number of
 * segments.
 */
const AREAS: readonly (readonly [pattern: string, area: Area])[] = [
  ['/', area('mf-listings')],
  ['/login', area('shell')],
  ['/signup', area('shell')],
  ['/verify-email', browserRenderedArea('shell')],
  ['/forgot-password', area('shell')],
  ['/reset-password', browserRenderedArea('shell')],
  ['/status/front-ends', browserRenderedArea('shell')],
  ['/pricing', area('shell', 'signed-in')],
  ['/privacy', area('shell')],
  ['/terms', area('shell')],
  ['/about', area('shell')],
  ['/help', area('shell')],
  ['/listings', area('mf-listings')],
  ['/city/{city}', area('mf-listings')],
  ['/city/{state}/{city}', area('mf-listings')],
  ['/escorts/{state}/{city}/{slug}/{id}', area('mf-listings')],
  ['/ad/{id}', area('mf-listings')],
  ['/public-ad/{id}', area('mf-listings')],
  ['/profile', area('mf-listings', 'signed-in')],
  ['/provider-profile', area('mf-listings', 'signed-in')],
  ['/provider-ad/{id}', area('mf-listings', 'signed-in')],
  ['/my-ads', area('mf-listings', 'signed-in')],
  ['/account/erasure/{id}', browserRenderedArea('mf-listings')],
  ['/account/decisions', area('mf-listings', 'signed-in')],
  ['/account/decisions/{id}', area('mf-listings', 'signed-in')],
  ['/decisions/{id}', browserRenderedArea('mf-listings')],
  ['/favorites', browserRenderedArea('mf-listings')],
  ['/post-ad', area('mf-post-ad', 'signed-in')],
  ['/edit/{adId}', browserRenderedArea('mf-post-ad')],
  ['/blog', area('mf-community')],
  ['/blog/{citySlug}', area('mf-community')],
  ['/community/unsubscribe', browserRenderedArea('mf-community')],
  ['/community/*', area('mf-community')],
  ['/admin/*', area('mf-admin', 'staff')],
];

const ANY_OTHER = browserRenderedArea('mf-listings');

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

const PARSED = AREAS.map(([pattern, entry]) => ({ segments: segmentsOf(pattern), area: entry }));

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? path.length < fixed.length : path.length !== fixed.length) return false;
  return fixed.every((segment, index) => segment.startsWith('{') || segment === path[index]);
}

/** Returns the area of a path such as `/city/NV/Las%20Vegas`. Unknown paths belong to the home page. */
export function findArea(pathname: string): Area {
  const path = segmentsOf(pathname);
  return PARSED.find(({ segments }) => matches(segments, path))?.area ?? ANY_OTHER;
}
