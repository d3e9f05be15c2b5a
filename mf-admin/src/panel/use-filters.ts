import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useDebounced } from '../blog/use-debounced.ts';

const REST_ms = 300;

/**
 * The filters of a list, in the page's address so that one comes back to the same list. What is searched for is not: it may be somebody's
 * e-mail, and addresses are kept in many places.
 */
export function useFilters() {
  const [search, setSearch] = useSearchParams();
  const [typed, setTyped] = useState('');
  const q = useDebounced(typed, REST_ms).trim();
  return {
    q,
    typed,
    setTyped,
    valueOf: (name: string): string => search.get(name) ?? '',
    choose: (name: string, value: string) => {
      const next = new URLSearchParams(search);
      if (value === '') next.delete(name);
      else next.set(name, value);
      setSearch(next, { replace: true });
    },
    clear: () => {
      setTyped('');
      setSearch({}, { replace: true });
    },
    isFiltered: q !== '' || search.size > 0,
  };
}

/** The query string of these filters; those without a value are left out. */
export function queryOf(filters: Readonly<Record<string, string | null>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) search.set(name, value);
  return search.size === 0 ? '' : `?${search.toString()}`;
}
