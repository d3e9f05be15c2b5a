import { useEffect, useEffectEvent, useMemo, useState, type ComponentType, type ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { LIVE_RECONNECT_ms } from '@alpenglow/domain/contracts';
import { useHost } from '../host/host-context.tsx';
import { useUiText } from '../i18n/text.tsx';
import { CrashedBox } from './crashed-box.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { lazyPart } from './lazy-part.tsx';
import { loadWithTexts } from './load-code.ts';
import { isLoadFailure } from './load-failure.ts';
import { PageHeading } from './page-heading.tsx';
import { Page } from './page.tsx';
import { ErrorBox } from './state-box.tsx';

/** The code of a page could not be loaded. The message of the browser names a file, so the page does not show it. */
class PageLoadError extends Error {
  override readonly name = 'PageLoadError';
}

interface PageFailureProps {
  /** A `PageLoadError` if the code of the page could not be loaded. Otherwise, the error that the code has thrown. */
  readonly error: unknown;
  /** Loads the code of the page again and then shows the page. Rejects if the code cannot be loaded. */
  readonly onRetry: () => Promise<void>;
}

/** The screen of a page that could not be loaded or rendered. Loading is repeated until it succeeds. */
function PageFailure({ error, onRetry }: PageFailureProps) {
  const t = useUiText();
  const { describeError } = useHost();
  const isLoadError = error instanceof PageLoadError;
  const retryInBackground = useEffectEvent(() => {
    onRetry().catch(() => undefined);
  });
  useEffect(() => {
    if (!isLoadError) return;
    const retry = () => retryInBackground();
    retry();
    const timer = setInterval(retry, LIVE_RECONNECT_ms);
    addEventListener('online', retry);
    return () => {
      clearInterval(timer);
      removeEventListener('online', retry);
    };
  }, [isLoadError]);
  const retryOrReload = async () => {
    try {
      await onRetry();
    } catch {
      // The server responds, so a deployment has probably removed the file. A reload uses the current deployment.
      if (await isServerReachable()) location.reload();
    }
  };
  return (
    <Page narrow>
      <PageHeading documentTitle={t('common.applicationError')}>{t('common.applicationError')}</PageHeading>
      {isLoadError ? (
        <ErrorBox message={t('common.pageFailed')} onRetry={() => void retryOrReload()}>
          {t('common.pageFailedHint')}
        </ErrorBox>
      ) : (
        <CrashedBox detail={describeError?.(error)} onRetry={() => void retryOrReload()} />
      )}
    </Page>
  );
}

const isServerReachable = () =>
  fetch(location.href, { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Creates a page whose code is loaded when the page is first shown. A retry creates a new lazy component, because
 * `React.lazy` never repeats a failed import.
 * @param chunk the name of the chunk that `load` imports, for pages that the server renders
 */
export function lazyPage(
  load: () => Promise<{ default: ComponentType }>,
  loading: ReactNode,
  chunk?: string,
): ComponentType {
  const start = () =>
    loadWithTexts(load).catch((cause: unknown) => {
      if (!isLoadFailure(cause)) throw cause;
      throw new PageLoadError('The page could not be loaded', { cause });
    });
  let Loaded = lazyPart(start, loading, chunk);
  return function LazyPage() {
    const [attempt, setAttempt] = useState(0);
    const { key: entry } = useLocation();
    const { reportPageError } = useHost();
    // oxlint-disable-next-line react/exhaustive-deps -- each attempt uses the component that the attempt has loaded
    const Current = useMemo(() => Loaded, [attempt]);
    const retry = async () => {
      const page = await start();
      Loaded = lazyPart(() => Promise.resolve(page), loading);
      setAttempt((number) => number + 1);
    };
    return (
      // React keeps this component if the next page has the same code, e.g. that of another ad. A navigation therefore
      // clears the error.
      <ErrorBoundary
        resetKeys={[attempt, entry]}
        fallback={(error) => <PageFailure error={error} onRetry={retry} />}
        onError={(error) => {
          // Files that cannot be loaded are reported where they are requested.
          if (!(error instanceof PageLoadError)) reportPageError?.();
        }}
      >
        <Current />
      </ErrorBoundary>
    );
  };
}
