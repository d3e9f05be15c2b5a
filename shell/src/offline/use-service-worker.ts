import { createTrustedText } from '@alpenglow/ui';
import { useEffect } from 'react';

const WORKER_URL = '/service-worker.js';

const toTrustedUrl = createTrustedText('alpenglow-worker', 'createScriptURL', (url) => {
  if (url !== WORKER_URL) throw new Error('Not the URL of the service worker');
  return url;
});

/** Registers the service worker after the page has loaded, so that it does not delay the page. */
export function useServiceWorker(isAllowed: boolean): void {
  useEffect(() => {
    if (!isAllowed) return;
    if (document.readyState === 'complete') return register();
    addEventListener('load', register, { once: true });
    return () => removeEventListener('load', register);
  }, [isAllowed]);
}

function register(): void {
  // Browsers have service workers only on secure origins, although the type declares it.
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  // Without the service worker, only the offline page is missing.
  container?.register(toTrustedUrl(WORKER_URL), { updateViaCache: 'none' }).catch(() => undefined);
}
