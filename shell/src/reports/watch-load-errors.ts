/** Reports load errors of this page to the server. */
import { createTimeLimit } from '@alpenglow/ui';
import { findRemoteFileIntegrity, isRemoteEntry } from '../remotes/integrity.ts';
import { getErrorKind, parseRemoteFile } from './front-end-errors.ts';
import { reportError } from './send-report.ts';

const CHECK_TIMEOUT_ms = 5_000;

/**
 * Reports failed scripts and style sheets of remotes, including files that are loaded later. Ignores failed preloads,
 * because the browser requests the file again when it is needed.
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
    // `capture` is required, because error events of elements do not bubble to the window.
    { capture: true },
  );
}

async function report({ origin, pathname }: URL): Promise<void> {
  const file = origin === location.origin ? parseRemoteFile(pathname) : null;
  if (!file) return;
  const exists = await isFetchable(pathname, { method: 'HEAD' });
  const matchesRegistry = exists && (await isFetchable(pathname, { integrity: findRemoteFileIntegrity(pathname) }));
  reportError({
    frontEnd: file.remote,
    hash: file.hash,
    kind: getErrorKind(isRemoteEntry(pathname), { exists, matchesRegistry }),
  });
}

async function isFetchable(path: string, request: RequestInit): Promise<boolean> {
  try {
    return (await fetch(path, { ...request, signal: createTimeLimit(CHECK_TIMEOUT_ms) })).ok;
  } catch {
    return false;
  }
}
