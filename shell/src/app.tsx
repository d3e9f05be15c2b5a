import { HostProvider, type Host } from '@alpenglow/ui';
import { lazy, Suspense, useMemo } from 'react';
import { useLocation, useNavigate, useNavigationType, type Location } from 'react-router-dom';
import { DemoArea } from './demo/demo-area.tsx';
import { AccessDenied } from './frame/access-denied.tsx';
import { isFromUnknownPath, UnknownPathNote } from './frame/unknown-path-note.tsx';
import { Frame } from './frame/frame.tsx';
import { useNotices } from './frame/use-notices.ts';
import { AgeGate, GuidelinesGate } from './gates/gate.tsx';
import { useConsent } from './gates/use-consent.ts';
import { useCurrentLocale } from './locale/locale.ts';
import { onLive, onThreadLive, useLiveChannel } from './live/live.ts';
import { RemoteArea } from './remotes/remote-area.tsx';
import { AccessGuard, wasDenied } from './routes/access-guard.tsx';
import { findArea } from './routes/owners.ts';
import { ShellPages } from './routes/shell-pages.tsx';
import { confirmPassword, useConfirmationRequest } from './session/confirmation/confirmation-request.ts';
import { accountGone, sessionStore, useSession } from './session/session.ts';

const ConfirmationDialog = lazy(() => import('./session/confirmation/confirmation-dialog.tsx'));

/**
 * The root component of the site. It first shows the questions about the visitor's age and the guidelines. After the
 * visitor has agreed, it shows the page that the URL identifies.
 */
export function App() {
  const consent = useConsent();
  const session = useSession();
  const { toasts, notify, announceLive, dismiss } = useNotices();
  const locale = useCurrentLocale();
  const navigate = useNavigate();
  const location: Location<unknown> = useLocation();
  // A reload or Back must not show the message again.
  const navigationType: string = useNavigationType();
  const isRedirected = navigationType !== 'POP';
  const isDenied = isRedirected && wasDenied(location.state);
  const confirmation = useConfirmationRequest();
  useLiveChannel();

  const host = useMemo<Host>(
    () => ({
      session,
      updateUser: sessionStore.updateUser,
      navigate: (to, options) => void navigate(to, options),
      notify,
      onLive,
      announceLive,
      onThreadLive,
      locale,
      sessionEnded: sessionStore.requestWasRejected,
      accountGone,
      confirmPassword,
      hasStoredSession: sessionStore.hasStoredSession,
    }),
    [session, navigate, notify, announceLive, locale],
  );

  // The questions are shown instead of the page, so that no content of the page is reachable before the visitor agrees.
  if (!consent.ageConfirmed) return <AgeGate onConfirm={consent.confirmAge} />;
  if (!consent.guidelinesAccepted) return <GuidelinesGate onAccept={consent.acceptGuidelines} />;

  const { owner, access } = findArea(location.pathname);
  return (
    <Frame session={session} consent={consent} toasts={toasts} onDismissToast={dismiss}>
      {/* The reason why the home page opened is above the guide, because the guide fills the screen of a phone. */}
      {session.state === 'authenticated' && isDenied && <AccessDenied user={session.user} />}
      {isRedirected && isFromUnknownPath(location.state) && <UnknownPathNote />}
      <HostProvider host={host}>
        <DemoArea />
      </HostProvider>
      <AccessGuard key={owner} access={access} session={session} staysAfterSessionEnd={owner === 'mf-post-ad'}>
        {owner === 'shell' ? (
          <HostProvider host={host}>
            <ShellPages />
          </HostProvider>
        ) : (
          <RemoteArea name={owner} host={host} />
        )}
      </AccessGuard>
      {confirmation && session.state === 'authenticated' && (
        <Suspense>
          <ConfirmationDialog token={session.token} user={session.user} request={confirmation} />
        </Suspense>
      )}
    </Frame>
  );
}
