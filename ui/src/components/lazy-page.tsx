import { Component, lazy, Suspense, useMemo, useState, type ComponentType, type ReactNode } from 'react';
import { i18n, loadLocale } from '../i18n/i18n.ts';
import type { Locale } from '../i18n/locales.ts';
import { useUiText } from '../i18n/text.tsx';
import { Page } from './page.tsx';
import { ErrorBox } from './state-box.tsx';

interface BoundaryProps {
  readonly onRetry: () => void;
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

function PageFailure({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const t = useUiText();
  return (
    <Page narrow>
      <ErrorBox message={t('common.pageFailed')} onRetry={onRetry}>
        {error.message}
      </ErrorBox>
    </Page>
  );
}

/**
 * Creates a page whose code is loaded when the page is first shown. A retry creates a new lazy component, because
 * `React.lazy` never repeats a failed import.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>, loading: ReactNode): ComponentType {
  // The module of the page may register texts with `addTexts`. This function loads them in the current language.
  const loadWithTexts = async () => {
    const page = await load();
    await loadLocale(i18n.locale as Locale).catch(() => undefined);
    return page;
  };
  let Loaded = lazy(loadWithTexts);
  return function LazyPage() {
    const [attempt, setAttempt] = useState(0);
    const Current = useMemo(() => {
      if (attempt > 0) Loaded = lazy(loadWithTexts);
      return Loaded;
    }, [attempt]);
    // After two failures, a deployment has probably removed the file. A reload loads the current deployment.
    const retry = () => (attempt === 0 ? setAttempt(1) : location.reload());
    return (
      <PageBoundary key={attempt} onRetry={retry}>
        <Suspense fallback={loading}>
          <Current />
        </Suspense>
      </PageBoundary>
    );
  };
}
