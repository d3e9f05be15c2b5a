import {
  Component,
  lazy,
  Suspense,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';
import { LIVE_RECONNECT_ms } from '@alpenglow/domain/contracts';
import { i18n, loadLocale } from '../i18n/i18n.ts';
import type { Locale } from '../i18n/locales.ts';
import { useUiText } from '../i18n/text.tsx';
import { PageHeading } from './page-heading.tsx';
import { Page } from './page.tsx';
import { ErrorBox } from './state-box.tsx';

/** The code of a page could not be loaded. The message of the browser names a file, so the page does not show it. */
class PageLoadError extends Error {
  override readonly name = 'PageLoadError';
}

interface BoundaryProps {
  /** Loads the code of the page again and then shows the page. Rejects if the code cannot be loaded. */
  readonly onRetry: () => Promise<void>;
  readonly children: ReactNode;
}

class PageBoundary extends Component<BoundaryProps, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };
  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <PageFailure error={error} onRetry={this.props.onRetry} />;
  }
}

/** The screen of a page that could not be loaded or rendered. Loading is repeated until it succeeds. */
function PageFailure({ error, onRetry }: Pick<BoundaryProps, 'onRetry'> & { readonly error: Error }) {
  const t = useUiText();
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
      <ErrorBox message={isLoadError ? t('common.pageFailed') : error.message} onRetry={() => void retryOrReload()}>
        {isLoadError && t('common.pageFailedHint')}
      </ErrorBox>
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
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>, loading: ReactNode): ComponentType {
  // The module of the page may register texts with `addTexts`. This function loads them in the current language.
  const loadWithTexts = async () => {
    const page = await load().catch((cause: unknown) => {
      throw new PageLoadError('The page could not be loaded', { cause });
    });
    await loadLocale(i18n.locale as Locale).catch(() => undefined);
    return page;
  };
  let Loaded = lazy(loadWithTexts);
  return function LazyPage() {
    const [attempt, setAttempt] = useState(0);
    // oxlint-disable-next-line react/exhaustive-deps -- each attempt uses the component that the attempt has loaded
    const Current = useMemo(() => Loaded, [attempt]);
    const retry = async () => {
      const page = await loadWithTexts();
      Loaded = lazy(() => Promise.resolve(page));
      setAttempt((number) => number + 1);
    };
    return (
      <PageBoundary key={attempt} onRetry={retry}>
        <Suspense fallback={loading}>
          <Current />
        </Suspense>
      </PageBoundary>
    );
  };
}
