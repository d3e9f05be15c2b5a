import '@alpenglow/ui/global.css';
import './styles/first-screen.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { loadLocale, Localized } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { App } from './app.tsx';
import { ErrorBoundary } from './frame/error-boundary.tsx';
import { ErrorScreen } from './frame/error-screen.tsx';
import { currentLocale, useCurrentLocale } from './locale/locale.ts';
import { queryClient } from './query-client.ts';
import { remotes } from './remotes/remote-area.tsx';
import { watchLoadErrors } from './remotes/watch-load-errors.ts';
import { findArea } from './routes/owners.ts';
import { sessionStore } from './session/session.ts';
import { startTheme } from './theme/theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

startTheme();
watchLoadErrors();
// Starts loading the remote and verifying the session before React renders, because both actions need requests. Pages
// for signed-in users are also loaded early if a session is stored, because this session is probably valid.
const { owner, access } = findArea(location.pathname);
const isStored = sessionStore.current().state === 'unknown';
if (owner !== 'shell' && (access === 'everyone' || (access === 'signed-in' && isStored))) remotes.load(owner);
if (isStored) void sessionStore.verifyStored();

// The server-rendered page shows a loading text in the visitor's language until the texts are loaded.
await loadLocale(currentLocale()).catch(() => undefined);
createRoot(root).render(
  <Root>
    <ErrorBoundary fallback={(error) => <ErrorScreen error={error} />}>
      <QueryClientProvider client={queryClient}>
        <BrowserRouter useTransitions={false}>
          <App />
        </BrowserRouter>
      </QueryClientProvider>
    </ErrorBoundary>
  </Root>,
);

function Root({ children }: { readonly children: ReactNode }) {
  return <Localized locale={useCurrentLocale()}>{children}</Localized>;
}
