import type { AdCard } from '@alpenglow/domain/contracts';
import { decodeUrlPart } from '@alpenglow/ui';
import { adPath } from '../paths.ts';

/** Returns the canonical URL of an ad for sharing, e.g. `https://…/escorts/nv/reno/an-evening-walk/<id>`. */
export function getShareUrl(ad: Pick<AdCard, 'id' | 'state' | 'city' | 'slug'>, origin: string): string {
  return new URL(adPath(ad), origin).href;
}

/**
 * Returns the canonical URL of an ad if the place or the title in the current URL is outdated or wrong. The query and
 * the fragment of the current URL are retained. Returns null if the current URL is correct or is a short path.
 */
export function getCanonicalUrl(
  ad: Pick<AdCard, 'id' | 'state' | 'city' | 'slug'>,
  { pathname, search, hash }: { readonly pathname: string; readonly search: string; readonly hash: string },
): string | null {
  if (!pathname.startsWith('/escorts/')) return null;
  const canonicalPath = adPath(ad);
  return decodeUrlPart(pathname) === decodeUrlPart(canonicalPath) ? null : `${canonicalPath}${search}${hash}`;
}
