import { useCallback, useEffect, useEffectEvent, useRef } from 'react';

/** Time until the second batch. It doubles with each further batch, up to `PACE_LAST_ms`. */
const PACE_FIRST_ms = 3_000;
const PACE_LAST_ms = 15_000;
/**
 * Time between the moment at which the tab is shown again and the next batch. Within this time, the shell reports which
 * data has changed while the tab was hidden. Both then cause one request.
 */
const SHOWN_ms = 1_000;

export interface Visibility {
  readonly isHidden: () => boolean;
  /** Calls `listener` after each change. Returns a function that stops the calls. */
  readonly subscribe: (listener: () => void) => () => void;
}

interface Pacer<Item> {
  add(item: Item): void;
  /**
   * Passes an item on without waiting, together with the items that are waiting. Waits only while the tab is hidden.
   */
  addUrgent(item: Item): void;
  /** Begins to observe the visibility of the tab. Returns a function that stops it and removes waiting items. */
  start(): () => void;
}

const ofDocument: Visibility = {
  isHidden: () => document.hidden,
  subscribe(listener) {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
};

/**
 * Collects live messages and passes them to `onBatch` in batches, so that they cause few requests. The first message is
 * passed immediately. While messages continue to arrive, the batches become rarer. After an interval without messages,
 * the next message is passed immediately again. Nothing is passed while the tab is hidden.
 */
export function createPacer<Item>(
  onBatch: (items: readonly Item[]) => void,
  visibility: Visibility = ofDocument,
): Pacer<Item> {
  let items: Item[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  let wait_ms = PACE_FIRST_ms;

  function flush(): void {
    timer = null;
    if (items.length === 0) {
      wait_ms = PACE_FIRST_ms;
      return;
    }
    if (visibility.isHidden()) return;
    const batch = items;
    items = [];
    timer = setTimeout(flush, wait_ms);
    wait_ms = Math.min(PACE_LAST_ms, wait_ms * 2);
    onBatch(batch);
  }

  return {
    add(item) {
      items.push(item);
      if (timer === null) flush();
    },
    addUrgent(item) {
      items.push(item);
      if (timer !== null) clearTimeout(timer);
      flush();
    },
    start() {
      const stopObserving = visibility.subscribe(() => {
        if (!visibility.isHidden() && items.length > 0) timer ??= setTimeout(flush, SHOWN_ms);
      });
      return () => {
        stopObserving();
        if (timer !== null) clearTimeout(timer);
        timer = null;
        items = [];
      };
    },
  };
}

/**
 * Returns a function that adds an item to the next batch of a pacer. `onBatch` is called only while the component is
 * mounted.
 */
export function usePacer<Item>(onBatch: (items: readonly Item[]) => void): (item: Item) => void {
  const onItems = useEffectEvent(onBatch);
  const current = useRef<Pacer<Item> | null>(null);
  useEffect(() => {
    const pacer = createPacer<Item>((items) => onItems(items));
    current.current = pacer;
    return pacer.start();
  }, []);
  return useCallback((item) => current.current?.add(item), []);
}
