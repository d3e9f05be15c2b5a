import { HostProvider } from '@alpenglow/ui';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { useLocation, useNavigationType, type Location } from 'react-router-dom';
import { DemoArea } from './demo/demo-area.tsx';
import { isFromUnknownPath, UnknownPathNote } from './frame/unknown-path-note.tsx';
import { Frame } from './frame/frame.tsx';
import { NoticesProvider } from './frame/notices.tsx';
import { useHostValue } from './frame/use-host-value.ts';
import { useEarlyInput } from './hydration/early-input.ts';
import { useLiveChannel } from './live/live.ts';
import { RemoteArea } from './remotes/remote-area.tsx';
import { reportShellError } from './reports/send-report.ts';
import { recordShownFrontEnd } from './reports/shown-front-ends.ts';
import { AccessGuard, wasDenied } from './routes/access-guard.tsx';
import { findArea } from './routes/owners.ts';
import { ShellPages } from './routes/shell-pages.tsx';
import { useConfirmationRequest } from './session/confirmation/confirmation-request.ts';
import { useSession } from './session/session.ts';

const AccessDenied = lazy(() => import('./frame/access-denied.tsx'));
const ConfirmationDialog = lazy(() => import('./session/confirmation/confirmation-dialog.tsx'));

/** The root component of the site. It shows the page that the URL identifies. */
export function App() {
  return (
    <NoticesProvider>
      <CurrentPage />
    </NoticesProvider>
  );
}

function CurrentPage() {
  const session = useSession();
  const location: Location<unknown> = useLocation();
  // A reload or Back must not show the message again.
  const navigationType: string = useNavigationType();
  const isRedirected = navigationType !== 'POP';
  const isDenied = isRedirected && wasDenied(location.state);
  const confirmation = useConfirmationRequest();
  useLiveChannel();
  useEarlyInput(session.state !== 'unknown');

  const { owner, access } = findArea(location.pathname);
  useEffect(() => recordShownFrontEnd(owner), [owner]);
  const content = (
    <>
      {/* The reason why the home page opened is above the guide, because the guide fills the screen of a phone. */}
      {session.state === 'authenticated' && isDenied && (
        <Suspense>
          <AccessDenied user={session.user} />
        </Suspense>
      )}
      {isRedirected && isFromUnknownPath(location.state) && <UnknownPathNote />}
      <WithHost>
        <DemoArea />
      </WithHost>
      <AccessGuard key={owner} access={access} session={session} staysAfterSessionEnd={owner === 'mf-post-ad'}>
        {owner === 'shell' ? (
          <WithHost>
            <ShellPages />
          </WithHost>
        ) : (
          <RemoteArea name={owner} />
        )}
      </AccessGuard>
      {confirmation && session.state === 'authenticated' && (
        <Suspense>
          <ConfirmationDialog token={session.token} user={session.user} request={confirmation} />
        </Suspense>
      )}
    </>
  );
  return globalThis.alpenglowRendering?.isCollectingQueries ? content : <Frame session={session}>{content}</Frame>;
}

function WithHost({ children }: { readonly children: ReactNode }) {
  return <HostProvider host={useHostValue(reportShellError)}>{children}</HostProvider>;
}
