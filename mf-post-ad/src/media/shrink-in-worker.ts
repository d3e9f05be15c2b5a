import { createTrustedText } from '@alpenglow/ui';
import workerUrl from './shrink.ts?url';
import type { ShrinkRequest } from './shrink.ts';

/** The content security policy forbids other workers. */
const toWorkerUrl = createTrustedText('alpenglow-worker', 'createScriptURL', (url) => {
  if (!url.startsWith(`blob:${location.origin}/`)) throw new Error('A worker starts only from a verified file');
  return url;
});

/** The `blob:` URL of the verified worker file, once the file has been fetched. */
let source: Promise<string> | null = null;

/**
 * Fetches the worker file and checks its integrity value from the registry. Returns a `blob:` URL of the checked bytes,
 * because a worker does not support `integrity` itself.
 */
async function verifiedSource(): Promise<string> {
  const integrity = globalThis.alpenglowIntegrity?.(workerUrl);
  const response = await fetch(workerUrl, integrity === undefined ? {} : { integrity });
  if (!response.ok) throw new Error(`The worker could not be loaded: HTTP ${response.status}`);
  return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: 'text/javascript' }));
}

/**
 * Reduces the size of a picture in a worker.
 * @throws if the worker cannot be started, or if `signal` aborts
 */
export async function shrinkInWorker(order: ShrinkRequest, signal: AbortSignal): Promise<Blob | null> {
  source ??= verifiedSource();
  let sourceUrl: string;
  try {
    sourceUrl = await source;
  } catch (error) {
    source = null;
    throw error;
  }
  signal.throwIfAborted();
  const worker = new Worker(toWorkerUrl(sourceUrl), { type: 'module' });
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
