import { once } from 'node:events';

/** Creates a hook that holds a rebuild, after it has read its first events, until `open` is called. */
export function createGate() {
  const opened = new AbortController();
  const reached = new AbortController();
  return {
    async yieldToOtherWork(): Promise<void> {
      reached.abort();
      if (!opened.signal.aborted) await once(opened.signal, 'abort');
    },
    async waitUntilReached(): Promise<void> {
      if (!reached.signal.aborted) await once(reached.signal, 'abort');
    },
    open: () => opened.abort(),
  };
}
