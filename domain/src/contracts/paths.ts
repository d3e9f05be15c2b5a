import { slugify } from '../places/places.ts';
import type { AdCard, ThreadCard } from './views.ts';
import { removePossibleContacts } from './url-words.ts';

/**
 * Returns the words of a title in the address of an ad. Search engines and logs store the address, so everything that
 * may be a contact detail is removed. Only servers know all contact details, so they pass the title with marks.
 */
export const adSlug = (titleWithMarks: string): string => slugify(removePossibleContacts(titleWithMarks)) || 'ad';

/**
 * Returns the public address of an ad: `/escorts/nv/las-vegas/an-evening-walk/<id>`. Servers of the earlier release
 * send no slug. The page of an ad then replaces the address.
 */
export function adPath({
  id,
  state,
  city,
  slug = 'ad',
}: Pick<AdCard, 'id' | 'state' | 'city'> & { readonly slug?: string | undefined }): string {
  return `/escorts/${state.toLowerCase()}/${slugify(city)}/${slug}/${encodeURIComponent(id)}`;
}

/** Returns the address of a city, e.g. `/city/nv/las-vegas`. */
export function cityPath(state: string, city: string): string {
  return `/city/${state.toLowerCase()}/${slugify(city)}`;
}

/**
 * Returns the address of the community page of a country, state or city, e.g. `/community/us/nv/las-vegas`. State and
 * city are optional.
 */
export function communityPath(country: string, state: string | null = null, city: string | null = null): string {
  return ['/community', country, state?.toLowerCase() ?? null, city === null ? null : slugify(city)]
    .filter((part) => part !== null)
    .join('/');
}

const THREAD_SLUG_MAX = 60;

/**
 * Returns the last part of the URL of a thread. It consists of the title and a code that is derived from the id. The
 * code alone identifies the thread. Threads with the same title therefore have different URLs, and an old URL still
 * works after the title has changed.
 */
export function threadSlug({ id, title }: Pick<ThreadCard, 'id' | 'title'>): string {
  const words = slugify(removePossibleContacts(title)).slice(0, THREAD_SLUG_MAX).replace(/-$/u, '') || 'thread';
  return `${words}-${createThreadCode(id)}`;
}

/** Returns the code of a thread id. It has ten characters from 0–9 and a–z, derived from the random part of the id. */
export function createThreadCode(id: string): string {
  return BigInt(`0x${id.replaceAll('-', '').slice(-12)}`)
    .toString(36)
    .padStart(10, '0');
}

const THREAD_CODE = /(?:^|-)([0-9a-z]{10})$/u;

/** Returns the code at the end of a thread slug, or null. */
export function parseThreadCode(slug: string): string | null {
  return THREAD_CODE.exec(slug)?.[1] ?? null;
}

/** Returns the address of a thread: `/community/us/nv/las-vegas/quiet-places-to-meet-0k3f9x2a1b`. */
export function threadPath({
  id,
  country,
  state,
  city,
  title,
}: Pick<ThreadCard, 'id' | 'country' | 'state' | 'city' | 'title'>): string {
  return `${communityPath(country, state, city)}/${threadSlug({ id, title })}`;
}

/** Returns the address of an article, e.g. `/blog/meeting-safely`. */
export function articlePath(slug: string): string {
  return `/blog/${slug}`;
}
