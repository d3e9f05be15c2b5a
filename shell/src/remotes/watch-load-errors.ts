/** The page's reports of load errors, wired to this browser. */
import { integrityOf } from './integrity.ts';
import { createLoadErrorReports, kindOf, LOAD_ERRORS_URL, remoteFileOf } from './load-errors.ts';

const LOOK_TIMEOUT_ms = 5_000;

export const reportLoadError = createLoadErrorReports((error) => {
  navigator.sendBeacon(LOAD_ERRORS_URL, new Blob([JSON.stringify(error)], { type: 'application/json' }));
});

/**
 * Watches scripts and style sheets of remotes fail, also those a remote fetches long after its start. A preload that fails is no
 * error yet: the file is asked for again by whoever needs it.
 */
export function watchLoadErrors(): void {
  addEventListener(
    'error',
    ({ target }) => {
      const url =
        target instanceof HTMLScriptElement
          ? target.src
          : target instanceof HTMLLinkElement && target.rel === 'stylesheet'
            ? target.href
            : '';
      if (url !== '') void report(new URL(url));
    },
    // Such events do not bubble.
    { capture: true },
  );
}

async function report({ origin, pathname }: URL): Promise<void> {
  const file = origin === location.origin ? remoteFileOf(pathname) : null;
  if (!file) return;
  const isThere = await arrives(pathname, { method: 'HEAD' });
  const isAsListed = isThere && (await arrives(pathname, { integrity: integrityOf(pathname) }));
  reportLoadError({ remote: file.remote, hash: file.hash, kind: kindOf(file, { isThere, isAsListed }) });
}

async function arrives(path: string, request: RequestInit): Promise<boolean> {
  try {
    return (await fetch(path, { ...request, signal: AbortSignal.timeout(LOOK_TIMEOUT_ms) })).ok;
  } catch {
    return false;
  }
}
