import { Component, lazy, Suspense, useMemo, useState, type ComponentType, type ReactNode } from 'react';
import { commonMessages } from '../messages/common.ts';
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
    return (
      <Page narrow>
        <ErrorBox message={commonMessages.pageFailed} onRetry={this.props.onRetry}>
          {error.message}
        </ErrorBox>
      </Page>
    );
  }
}

/**
 * A page that is fetched when it is first shown. `React.lazy` keeps a failure for ever, so every retry makes a new lazy component.
 */
export function lazyPage(load: () => Promise<{ default: ComponentType }>, loading: ReactNode): ComponentType {
  let Loaded = lazy(load);
  return function LazyPage() {
    const [attempt, setAttempt] = useState(0);
    const Current = useMemo(() => {
      if (attempt > 0) Loaded = lazy(load);
      return Loaded;
    }, [attempt]);
    return (
      <PageBoundary key={attempt} onRetry={() => setAttempt((last) => last + 1)}>
        <Suspense fallback={loading}>
          <Current />
        </Suspense>
      </PageBoundary>
    );
  };
}
