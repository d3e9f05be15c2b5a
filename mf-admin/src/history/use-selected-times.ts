import { useSearchParams } from 'react-router-dom';
import type { SelectedTimes } from './api.ts';

const isTime = (text: string | null) => text !== null && !Number.isNaN(Date.parse(text));

/**
 * Returns the selected times and a function that changes them. The times are stored in the URL, so that a link shows
 * the same times.
 */
export function useSelectedTimes(): readonly [SelectedTimes, (moments: SelectedTimes) => void] {
  const [search, setSearch] = useSearchParams();
  const [at, and] = [search.get('at'), search.get('and')];
  const moments = { at: isTime(at) ? at : null, and: isTime(and) ? and : null };
  const change = (selected: SelectedTimes) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(selected) as [string, string | null][]) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    // The entry in the browser history is replaced, because dragging the slider selects many times.
    setSearch(next, { replace: true });
  };
  return [moments, change];
}
