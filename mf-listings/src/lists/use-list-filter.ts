import { useEffect, useRef, useState } from 'react';
import type { ListFilter } from './filters.ts';
import type { Prices } from './price-edit.ts';

/**
 * Time without typing after which the list follows a typed price. It is long, because a partially typed price is
 * already a valid filter.
 */
const TYPING_PAUSE_ms = 1_200;

/**
 * Returns the filter of the list. It is `filter`, except that its prices do not change while the visitor types a price.
 * `hold` must be called when a price is typed, and `release` when the visitor has finished.
 */
export function useListFilter(filter: ListFilter) {
  const [heldPrices, setHeldPrices] = useState<Prices | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const release = () => {
    clearTimeout(timer.current);
    setHeldPrices(null);
  };
  const hold = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(release, TYPING_PAUSE_ms);
    setHeldPrices((held) => held ?? { minPrice: filter.minPrice, maxPrice: filter.maxPrice });
  };
  return { listFilter: heldPrices ? { ...filter, ...heldPrices } : filter, hold, release };
}

/**
 * Returns a function that applies a change to the latest filter. The visitor may change two filters before the page is
 * rendered with the first change. The second change must not undo the first one.
 *
 * The function receives the filter with which a control was rendered, and the filter that the control has returned.
 */
export function useLatestFilter(filter: ListFilter): (rendered: ListFilter, changed: ListFilter) => ListFilter {
  const latest = useRef(filter);
  const applied = JSON.stringify(filter);
  useEffect(() => {
    latest.current = JSON.parse(applied) as ListFilter;
  }, [applied]);
  return (rendered, changed) => {
    latest.current = applyChanges(latest.current, rendered, changed);
    return latest.current;
  };
}

/** Returns `latest` with the values that differ between `rendered` and `changed`. */
export function applyChanges(latest: ListFilter, rendered: ListFilter, changed: ListFilter): ListFilter {
  const names = Object.keys(changed) as readonly (keyof ListFilter)[];
  const changes = names.filter((name) => changed[name] !== rendered[name]).map((name) => [name, changed[name]]);
  return { ...latest, ...(Object.fromEntries(changes) as Partial<ListFilter>) };
}
