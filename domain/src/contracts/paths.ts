import { slugOf } from '../places/places.ts';
import type { AdCard } from './views.ts';

/** The address people see and share: `/escorts/nv/las-vegas/an-evening-walk/<id>`. */
export function adPath({ id, state, city, title }: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>): string {
  return `/escorts/${state.toLowerCase()}/${slugOf(city)}/${slugOf(title) || 'ad'}/${encodeURIComponent(id)}`;
}

/** `/city/nv/las-vegas`. */
export function cityPath(state: string, city: string): string {
  return `/city/${state.toLowerCase()}/${slugOf(city)}`;
}
