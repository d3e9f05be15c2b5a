import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useDebounced } from '@alpenglow/ui';

const TYPING_PAUSE_ms = 300;

/**
 * Returns the filters of a list. The filters are stored in the URL, so that the Back button opens the same list. The
 * search text is not stored in the URL, because it may be an e-mail address and many systems log URLs.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams();
  const [typed, setTyped] = useState('');
  const q = useDebounced(typed, TYPING_PAUSE_ms).trim();
  const chosen = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>;
  return {
    typed,
    setTyped,
    /** Filters as parameters of the API request. An empty value turns a filter off. */
    values: { ...chosen, q },
    choose: (name: Name, value: string) => {
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

export type Filters<Name extends string> = ReturnType<typeof useFilters<Name>>;
