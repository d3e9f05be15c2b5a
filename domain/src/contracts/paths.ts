import { slugOf } from '../places/places.ts';
import type { AdCard } from './views.ts';
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
