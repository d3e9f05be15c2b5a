import type { AdCard } from '@alpenglow/domain/contracts';
import { decodeUrlPart } from '@alpenglow/ui';
import { adPath } from '../paths.ts';

/** Returns the canonical URL of an ad for sharing, e.g. `https://…/escorts/nv/reno/an-evening-walk/<id>`. */
export function getShareUrl(ad: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>, origin: string): string {
  return new URL(adPath(ad), origin).href;
}

/**
 * Returns the canonical path if place or title in the URL are outdated or wrong. Query and fragment are included.
 * Returns null if the path is correct. Also returns null for a short path, which is not redirected.
 */
export function getCanonicalUrl(
  ad: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>,
  { pathname, search, hash }: { readonly pathname: string; readonly search: string; readonly hash: string },
): string | null {
  if (!pathname.startsWith('/escorts/')) return null;
  const canonicalPath = adPath(ad);
  return decodeUrlPart(pathname) === decodeUrlPart(canonicalPath) ? null : `${canonicalPath}${search}${hash}`;
}
