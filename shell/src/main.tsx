import '@alpenglow/ui/global.css';
import './styles/first-screen.css';
import { isRendered, loadHtmlParts } from './hydration/hydration.ts';
import { hydrateQueries, loadLocale, parseLocalePath } from '@alpenglow/ui';
import { startTransition } from 'react';
import { BrowserRouter } from 'react-router-dom';
import { recordChanges, recordEarlyInput } from './hydration/early-input.ts';
import { watchSilentValues } from './hydration/silent-values.ts';
import { startLive } from './live/live.ts';
import { currentLocale, followLocaleOfUrl, readDocumentLocale, startLocale } from './locale/locale.ts';
import { queryClient } from './query-client.ts';
import { remotes } from './remotes/remotes.ts';
import { recordShownFrontEnd } from './reports/shown-front-ends.ts';
import { startVitals } from './reports/vitals.ts';
import { watchLoadErrors } from './reports/watch-load-errors.ts';
import { watchUncaughtErrors } from './reports/watch-uncaught-errors.ts';
import { findArea } from './routes/owners.ts';
import { registerRoutesOfPage } from './routes/registered-routes.ts';
import { sessionStore, startSession } from './session/session.ts';
import { watchReturn } from './frame/watch-return.ts';
import { Site } from './site.tsx';
import { startTheme } from './theme/theme.ts';

/** Waits for the next task, so that the browser can handle clicks and key presses before. */
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

/** Evaluates React DOM in a separate task. It is part of this bundle, so nothing is requested. */
async function loadReactDom() {
  await nextTask();
  return import(/* webpackMode: "eager" */ 'react-dom/client');
}

/** True after a quick exit, until the neutral site replaces the page (shell/server/inline/quick-exit.ts). */
const hasLeft = () => document.documentElement.hidden;

async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no #root');

  await nextTask();
  if (hasLeft()) return;
  if (isRendered) recordEarlyInput(root);
  watchSilentValues();
  startLocale(readDocumentLocale());
  registerRoutesOfPage();
  followLocaleOfUrl();
  startTheme();
  startSession();
  startLive();
  watchLoadErrors();
  watchUncaughtErrors();
  startVitals();
  watchReturn();
  // Starts loading the remote and verifying the session before React renders, because both actions need requests. Pages
  // for signed-in users are also loaded early if a session is stored, because this session is probably valid.
  const { owner, access } = findArea(parseLocalePath(location.pathname).path);
  recordShownFrontEnd(owner);
  const isStored = sessionStore.current().state === 'unknown';
  const isLoading = owner !== 'shell' && (access === 'everyone' || (access === 'signed-in' && isStored));
  if (isLoading) remotes.load(owner);
  if (isStored) void sessionStore.verifyStored();
  const loadingReactDom = loadReactDom();

  // The server-rendered page stays visible until everything that it contains is loaded. React then takes over the whole
  // page at once, so no part of it is replaced by a loading screen.
  await loadLocale(currentLocale()).catch(() => undefined);
  await loadHtmlParts(owner === 'shell' ? undefined : remotes.whenLoaded(owner));

  const site = (
    <Site
      queryClient={queryClient}
      router={(basename, content) => (
        <BrowserRouter basename={basename} useTransitions={false}>
          {content}
        </BrowserRouter>
      )}
    />
  );
  const { createRoot, hydrateRoot } = await loadingReactDom;
  if (hasLeft()) return;
  if (isRendered) {
    hydrateQueries(queryClient);
    recordChanges(root);
    // In a transition, React pauses every few milliseconds, so that the page responds to the visitor.
    startTransition(() => void hydrateRoot(root, site));
  } else {
    createRoot(root).render(site);
  }
}

void start();
