import workerUrl from './shrink.ts?url';
import type { ShrinkOrder } from './shrink.ts';

/** Address of the worker's checked source, once it is there. */
let source: Promise<string> | null = null;

/**
 * Fetches the worker's source, which the browser refuses unless it is what the registry lists. A worker takes no `integrity`
 * itself, so it is started from these very bytes and not from the address they came from.
 */
async function checkedSource(): Promise<string> {
  const integrity = globalThis.alpenglowIntegrity?.(workerUrl);
  const response = await fetch(workerUrl, integrity === undefined ? {} : { integrity });
  if (!response.ok) throw new Error(`The worker cannot be had: HTTP ${response.status}`);
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'text/javascript' }));
}

/**
 * As `shrunk`, off the main thread.
 * @throws when there is no worker to be had, or `signal` aborts
 */
export async function shrunkInWorker(order: ShrinkOrder, signal: AbortSignal): Promise<Blob | null> {
  source ??= checkedSource();
  let address: string;
  try {
    address = await source;
  } catch (error) {
    source = null;
    throw error;
  }
  signal.throwIfAborted();
  const worker = new Worker(address, { type: 'module' });
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new DOMException('The upload was cancelled', 'AbortError')), {
        once: true,
      });
      worker.onmessage = ({ data }: MessageEvent<Blob | null>) => resolve(data);
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new Error(event.message || 'The worker did not start'));
      };
      worker.postMessage(order);
    });
  } finally {
    worker.terminate();
  }
}
