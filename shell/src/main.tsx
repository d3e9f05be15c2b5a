import '@alpenglow/ui/global.css';
import './styles/first-screen.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router-dom';
import { App } from './app.tsx';
import { ErrorBoundary } from './frame/error-boundary.tsx';
import { ErrorScreen } from './frame/error-screen.tsx';
import { queryClient } from './query-client.ts';
import { remotes } from './remotes/remote-area.tsx';
import { areaOf } from './routes/owners.ts';
import { sessionStore } from './session/session.ts';

const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root');

// Both take a round trip: they start before React does.
const { owner, access } = areaOf(location.pathname);
if (owner !== 'shell' && access === 'everyone') remotes.want(owner);
if (sessionStore.current().state === 'unknown') void sessionStore.verifyStored();

createRoot(root).render(
  <ErrorBoundary fallback={(error) => <ErrorScreen error={error} />}>
    <QueryClientProvider client={queryClient}>
      <BrowserRouter>
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </ErrorBoundary>,
);
