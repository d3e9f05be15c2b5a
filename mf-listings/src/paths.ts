import { slugOf, type AdCard } from '@alpenglow/domain/contracts';

/** The address people see and share: `/escorts/nv/las-vegas/an-evening-walk/<id>`. */
export function adPath(ad: Pick<AdCard, 'id' | 'state' | 'city' | 'title'>): string {
  return `/escorts/${ad.state.toLowerCase()}/${slugOf(ad.city)}/${slugOf(ad.title) || 'ad'}/${encodeURIComponent(ad.id)}`;
}

/** `/city/nv/las-vegas`. */
export function cityPath(state: string, city: string): string {
  return `/city/${state.toLowerCase()}/${slugOf(city)}`;
}
