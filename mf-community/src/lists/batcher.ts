/**
 * Creates an object that collects items. It passes them to `onBatch` together, `wait_ms` after the first item was
 * added.
 */
export function createBatcher<T>(wait_ms: number, onBatch: (items: readonly T[]) => void) {
  let items: T[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  return {
    add(item: T) {
      items.push(item);
      timer ??= setTimeout(() => {
        const batch = items;
        items = [];
        timer = null;
        onBatch(batch);
      }, wait_ms);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      items = [];
    },
  };
}
