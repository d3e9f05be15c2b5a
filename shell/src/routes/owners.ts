/**
 * Who shows which address (specification, section 2, "Routes"). The first segment decides; the owner routes what lies below it.
 * Pure, because the server reads it too: it names the owner's files in the first HTML.
 */
import type { RemoteName } from '@alpenglow/ui';

export type Owner = RemoteName | 'shell';
/** `signed-in` and `admin` send others away before anything of the owner is loaded. */
export type Access = 'everyone' | 'signed-in' | 'admin';

export interface OwnedArea {
  readonly owner: Owner;
  readonly access: Access;
}

const area = (owner: Owner, access: Access = 'everyone'): OwnedArea => ({ owner, access });

/** Unknown addresses show the home page. */
const HOME = area('mf-listings');

const AREAS: Readonly<Record<string, OwnedArea>> = {
  '': HOME,
  listings: HOME,
  city: HOME,
  escorts: HOME,
  ad: HOME,
  'public-ad': HOME,
  profile: area('mf-listings', 'signed-in'),
  'provider-profile': area('mf-listings', 'signed-in'),
  'provider-ad': area('mf-listings', 'signed-in'),
  'my-ads': area('mf-listings', 'signed-in'),
  'post-ad': area('mf-post-ad', 'signed-in'),
  edit: area('mf-post-ad'),
  community: area('mf-community'),
  blog: area('mf-community'),
  admin: area('mf-admin', 'admin'),
  login: area('shell'),
  signup: area('shell'),
  'verify-email': area('shell'),
  pricing: area('shell', 'signed-in'),
  privacy: area('shell'),
  terms: area('shell'),
  about: area('shell'),
};

/** The owner of a path such as `/city/NV/Las%20Vegas`, and who may see it. */
export function areaOf(pathname: string): OwnedArea {
  const first = pathname.split('/')[1] ?? '';
  return Object.hasOwn(AREAS, first) ? (AREAS[first] ?? HOME) : HOME;
}
