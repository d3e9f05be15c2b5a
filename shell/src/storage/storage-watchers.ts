/** Creates a list of functions that are called after a change of the browser's storage. */
export function createStorageWatchers() {
  const watchers = new Set<() => void>();
  return {
    /** Calls `watcher` after each change, also in other tabs. Returns a function that stops the calls. */
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      addEventListener('storage', watcher);
      return () => {
        watchers.delete(watcher);
        removeEventListener('storage', watcher);
      };
    },
    /** Calls all watchers of this tab. */
    notify(): void {
      for (const watcher of watchers) watcher();
    },
  };
}
