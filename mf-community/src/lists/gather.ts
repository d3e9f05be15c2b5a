/** Collects what comes in a burst: the first item is handed on after `wait_ms`, together with what has come since. */
export function createGatherer<T>(wait_ms: number, handOn: (items: readonly T[]) => void) {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  return {
    add(item: T) {
      items.push(item);
      timer ??= setTimeout(() => {
        const gathered = items;
        items = [];
        timer = null;
        handOn(gathered);
      }, wait_ms);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      items = [];
    },
  };
}
