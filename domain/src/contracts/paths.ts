import { slugOf } from '../places/places.ts';
import type { AdCard, ThreadCard } from './views.ts';
import { withoutContact } from './without-contact.ts';

export { withoutContact };

/** The address people see and share: `/escorts/nv/las-vegas/an-evening-walk/<id>`. It stands in search engines and logs, so a phone number in a title does not come along. */
export function adPath({ id, state, city, title }: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>): string {
  return `/escorts/${state.toLowerCase()}/${slugOf(city)}/${slugOf(withoutContact(title)) || 'ad'}/${encodeURIComponent(id)}`;
}

/** `/city/nv/las-vegas`. */
export function cityPath(state: string, city: string): string {
  return `/city/${state.toLowerCase()}/${slugOf(city)}`;
}

/** `/community/us/nv/las-vegas`, as far as the place says. */
export function communityPath(country: string, state: string | null = null, city: string | null = null): string {
  return ['/community', country, state?.toLowerCase() ?? null, city === null ? null : slugOf(city)]
    .filter((part) => part !== null)
    .join('/');
}

const THREAD_SLUG_MAX = 60;

/**
 * The last part of a thread's address: words of its title, as far as there are any, and a code of its id. The code alone finds the thread, so that
 * two threads of one title have two addresses, and an old address still leads there when the title has changed.
 */
export function threadSlug({ id, title }: Pick<ThreadCard, 'id' | 'title'>): string {
  const words = slugOf(withoutContact(title)).slice(0, THREAD_SLUG_MAX).replace(/-$/u, '') || 'thread';
  return `${words}-${threadCodeOf(id)}`;
}

/** The code of a thread's id: ten of 0–9 and a–z, made of the random part. */
export function threadCodeOf(id: string): string {
  return BigInt(`0x${id.replaceAll('-', '').slice(-12)}`)
    .toString(36)
    .padStart(10, '0');
}

const THREAD_CODE = /(?:^|-)([0-9a-z]{10})$/u;

/** The code at the end of a thread's slug; null where there is none. */
export function threadCodeIn(slug: string): string | null {
  return THREAD_CODE.exec(slug)?.[1] ?? null;
}

/** The one address of a thread: `/community/us/nv/las-vegas/quiet-places-to-meet-0k3f9x2a1b`. */
export function threadPath({
  id,
  country,
  state,
  city,
  title,
}: Pick<ThreadCard, 'id' | 'country' | 'state' | 'city' | 'title'>): string {
  return `${communityPath(country, state, city)}/${threadSlug({ id, title })}`;
}

/** `/blog/meeting-safely`. */
export function articlePath(slug: string): string {
  return `/blog/${slug}`;
}
