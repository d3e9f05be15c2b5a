import { useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';
import { useDebounced } from '@alpenglow/ui';

const TYPING_PAUSE_ms = 300;

/** Returns the search text in the state of a history entry. */
function readText(state: unknown): string {
  const text = typeof state === 'object' && state !== null && 'searchText' in state ? state.searchText : '';
  return typeof text === 'string' ? text : '';
}

const stateOf = (searchText: string) => (searchText === '' ? null : { searchText });

/**
 * Returns the filters of a list. The filters are stored in the URL, so that the Back button opens the same
 * list. The search text is stored in the state of the history entry and not in the URL, because it may be an e-mail
 * address and many systems log URLs. A change adds no history entry.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const [search, setSearch] = useSearchParams();
  const stored = readText(useLocation().state);
  const [typed, setTyped] = useState(stored);
  const q = useDebounced(typed, TYPING_PAUSE_ms).trim();
  const chosen = Object.fromEntries(names.map((name) => [name, search.get(name) ?? ''])) as Record<Name, string>;
  useEffect(() => {
    if (q !== stored) setSearch(search, { replace: true, state: stateOf(q) });
  }, [q, stored, search, setSearch]);
  return {
    typed,
    setTyped,
    /** Filters as parameters of the API request. An empty value turns a filter off. */
    values: { ...chosen, q },
    choose: (name: Name, value: string) => {
      const next = new URLSearchParams(search);
      if (value === '') next.delete(name);
      else next.set(name, value);
      setSearch(next, { replace: true, state: stateOf(q) });
    },
    clear: () => {
      setTyped('');
      setSearch({}, { replace: true });
    },
    isFiltered: q !== '' || search.size > 0,
  };
}

export type Filters<Name extends string> = ReturnType<typeof useFilters<Name>>;
