/** A storage in memory with the members of `localStorage` that the shell uses. */
export class MemoryStorage {
  readonly #items: Map<string, string>;
  constructor(items: Readonly<Record<string, string>> = {}) {
    this.#items = new Map(Object.entries(items));
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#items.set(key, value);
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  clear(): void {
    this.#items.clear();
  }
}
