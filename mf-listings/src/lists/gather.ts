/** Collects what comes in a burst. The first item is handed on at once, what follows within `wait_ms` together. */
export function createGatherer<T>(wait_ms: number, handOn: (items: readonly T[]) => void) {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush() {
    timer = null;
    if (items.length === 0) return;
    const gathered = items;
    items = [];
    timer = setTimeout(flush, wait_ms);
    handOn(gathered);
  }

  return {
    add(item: T) {
      items.push(item);
      if (timer === null) flush();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      items = [];
    },
  };
}
