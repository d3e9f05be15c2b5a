import { HostProvider, lazySection } from '@alpenglow/ui';
import { useEffect, type ReactNode } from 'react';
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
import { findArea, isUnknownPath } from './routes/owners.ts';
import { ShellPages } from './routes/shell-pages.tsx';
import { useConfirmationRequest } from './session/confirmation/confirmation-request.ts';
import { useSession } from './session/session.ts';

const AccessDenied = lazySection(() => import('./frame/access-denied.tsx'), null);
/** If the dialog fails, the request for the password ends as if the user had cancelled it. */
const ConfirmationDialog = lazySection(() => import('./session/confirmation/confirmation-dialog.tsx'), null, {
  instead: function Cancelled({ request }) {
    useEffect(() => request.settle(false), [request]);
    return null;
  },
});

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
  const isUnknown = isUnknownPath(location.pathname);
  useEffect(() => recordShownFrontEnd(owner), [owner]);
  const content = (
    <>
      {/* The reason why the home page opened is above the guide, because the guide fills the screen of a phone. */}
      {session.state === 'authenticated' && isDenied && (
        <WithHost>
          <AccessDenied user={session.user} />
        </WithHost>
      )}
      {(isUnknown || (isRedirected && isFromUnknownPath(location.state))) && <UnknownPathNote />}
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
        <WithHost>
          <ConfirmationDialog token={session.token} user={session.user} request={confirmation} />
        </WithHost>
      )}
    </>
  );
  return globalThis.alpenglowRendering?.isCollectingQueries ? content : <Frame session={session}>{content}</Frame>;
}

function WithHost({ children }: { readonly children: ReactNode }) {
  return <HostProvider host={useHostValue(reportShellError)}>{children}</HostProvider>;
}
