export type MemoryStorage = ReturnType<typeof createMemoryStorage>;

/** Creates a storage in memory with the methods of the browser's storage. `items` contains its entries. */
export function createMemoryStorage(entries: Readonly<Record<string, string>> = {}) {
  const items = new Map(Object.entries(entries));
  return {
    items,
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    clear: () => items.clear(),
  };
}
