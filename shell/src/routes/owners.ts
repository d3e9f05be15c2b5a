/**
 * Who shows which address (specification, section 2, "Routes").
 * Pure, because the server reads it too: it names the owner's files in the first HTML.
 */
import type { RemoteName } from '@alpenglow/ui';

/** `signed-in` and `staff` (moderators and admins) send others away before anything of the owner is shown. */
export type Access = 'everyone' | 'signed-in' | 'staff';

export interface Area {
  readonly owner: RemoteName | 'shell';
  readonly access: Access;
}

const area = (owner: Area['owner'], access: Access = 'everyone'): Area => ({ owner, access });

/** A name in braces stands for any one segment, `*` at the end for any number of them. */
const AREAS: readonly (readonly [pattern: string, area: Area])[] = [
  ['/', area('mf-listings')],
  ['/login', area('shell')],
  ['/signup', area('shell')],
  ['/verify-email', area('shell')],
  ['/forgot-password', area('shell')],
  ['/reset-password', area('shell')],
  ['/status/front-ends', area('shell')],
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
  ['/account/erasure/{id}', area('mf-listings')],
  ['/account/decisions', area('mf-listings', 'signed-in')],
  ['/account/decisions/{id}', area('mf-listings', 'signed-in')],
  ['/decisions/{id}', area('mf-listings')],
  ['/favorites', area('mf-listings')],
  ['/post-ad', area('mf-post-ad', 'signed-in')],
  ['/edit/{adId}', area('mf-post-ad')],
  ['/blog', area('mf-community')],
  ['/blog/{citySlug}', area('mf-community')],
  ['/community/*', area('mf-community')],
  ['/admin/*', area('mf-admin', 'staff')],
];

const ANY_OTHER = area('mf-listings');

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

const PARSED = AREAS.map(([pattern, found]) => ({ segments: segmentsOf(pattern), area: found }));

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? path.length < fixed.length : path.length !== fixed.length) return false;
  return fixed.every((segment, index) => segment.startsWith('{') || segment === path[index]);
}

/** The owner of a path such as `/city/NV/Las%20Vegas`, and who may see it. Any other path shows the home page. */
export function areaOf(pathname: string): Area {
  const path = segmentsOf(pathname);
  return PARSED.find(({ segments }) => matches(segments, path))?.area ?? ANY_OTHER;
}
