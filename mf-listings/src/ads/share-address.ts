import type { AdCard } from '@alpenglow/domain/contracts';
import { adPath } from '../paths.ts';

/** The one address of an ad that is handed on, however it was reached: `https://…/escorts/nv/reno/an-evening-walk/<id>`. */
export function shareAddress(ad: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>, origin: string): string {
  return new URL(adPath(ad), origin).href;
}

/**
 * Where an address with an outdated or wrong place or title leads instead, with what follows the path; null when it is right, or when
 * it is one of the short addresses, which stay.
 */
export function canonicalAddress(
  ad: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>,
  { pathname, search, hash }: { readonly pathname: string; readonly search: string; readonly hash: string },
): string | null {
  if (!pathname.startsWith('/escorts/')) return null;
  const right = adPath(ad);
  return decoded(pathname) === decoded(right) ? null : `${right}${search}${hash}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
