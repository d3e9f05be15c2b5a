import { ErrorBoundary, getLocalePrefix, Localized, type Locale } from '@alpenglow/ui';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { App } from './app.tsx';
import { ErrorScreen } from './frame/error-screen.tsx';
import { useCurrentLocale } from './locale/locale.ts';
import { reportShellError } from './reports/send-report.ts';

interface SiteProps {
  readonly queryClient: QueryClient;
  /** Returns the router around the content. It differs between browser and server. `basename` contains the language. */
  readonly router: (basename: string, content: ReactNode) => ReactNode;
}

/** Everything that React renders. The tree is the same in the browser and on the server. */
export function Site({ queryClient, router }: SiteProps) {
  return (
    <Texts>
      <ErrorBoundary fallback={(error) => <ErrorScreen error={error} />} onError={reportShellError}>
        <QueryClientProvider client={queryClient}>
          {router(getLocalePrefix(useCurrentLocale()) || '/', <App />)}
        </QueryClientProvider>
      </ErrorBoundary>
    </Texts>
  );
}

function Texts({ children }: { readonly children: ReactNode }) {
  const locale: Locale = useCurrentLocale();
  return <Localized locale={locale}>{children}</Localized>;
}
