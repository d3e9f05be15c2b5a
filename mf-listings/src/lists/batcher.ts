/**
 * Collects items and passes them to `onBatch` in batches. The first item is passed immediately. Later items wait up to
 * `wait_ms`, and are then passed together.
 */
export function createBatcher<T>(wait_ms: number, onBatch: (items: readonly T[]) => void) {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush() {
    timer = null;
    if (items.length === 0) return;
    const batch = items;
    items = [];
    timer = setTimeout(flush, wait_ms);
    onBatch(batch);
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
