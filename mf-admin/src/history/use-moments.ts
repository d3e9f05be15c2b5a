import { useSearchParams } from 'react-router-dom';
import type { Moments } from './calls.ts';

const isTime = (text: string | null) => text !== null && !Number.isNaN(Date.parse(text));

/** The moments that are looked at, kept in the address, so that what one sees can be shown to others. */
export function useMoments(): readonly [Moments, (moments: Moments) => void] {
  const [search, setSearch] = useSearchParams();
  const [at, and] = [search.get('at'), search.get('and')];
  const moments = { at: isTime(at) ? at : null, and: isTime(and) ? and : null };
  const change = (wanted: Moments) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(wanted) as [string, string | null][]) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    // A slider moves through many moments: none of them is a page to come back to.
    setSearch(next, { replace: true });
  };
  return [moments, change];
}
