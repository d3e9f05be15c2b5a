import { HostProvider, type Host } from '@alpenglow/ui';
import { useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { Frame } from './frame/frame.tsx';
import { useNotices } from './frame/use-notices.ts';
import { AgeGate, GuidelinesGate } from './gates/gate.tsx';
import { useConsent } from './gates/use-consent.ts';
import { useCurrentLocale } from './locale/locale.ts';
import { onLive, onThreadLive, useLiveChannel } from './live/live.ts';
import { RemoteArea } from './remotes/remote-area.tsx';
import { AccessGuard } from './routes/access-guard.tsx';
import { findArea } from './routes/owners.ts';
import { ShellPages } from './routes/shell-pages.tsx';
import { accountGone, sessionStore, useSession } from './session/session.ts';

/**
 * The root component of the site. It first shows the questions about the visitor's age and the guidelines. After the
 * visitor has agreed, it shows the page that the URL identifies.
 */
export function App() {
  const consent = useConsent();
  const session = useSession();
  const { toasts, notify, dismiss } = useNotices();
  const locale = useCurrentLocale();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useLiveChannel();

  const host = useMemo<Host>(
    () => ({
      session,
      updateUser: sessionStore.updateUser,
      navigate: (to, options) => void navigate(to, options),
      notify,
      onLive,
      onThreadLive,
      locale,
      sessionEnded: sessionStore.requestWasRejected,
      accountGone,
    }),
    [session, navigate, notify, locale],
  );

  // The questions are shown instead of the page, so that no content of the page is reachable before the visitor agrees.
  if (!consent.ageConfirmed) return <AgeGate onConfirm={consent.confirmAge} />;
  if (!consent.guidelinesAccepted) return <GuidelinesGate onAccept={consent.acceptGuidelines} />;

  const { owner, access } = findArea(pathname);
  return (
    <Frame session={session} consent={consent} toasts={toasts} onDismissToast={dismiss}>
      <AccessGuard key={owner} access={access} session={session} staysAfterSessionEnd={owner === 'mf-post-ad'}>
        {owner === 'shell' ? (
          <HostProvider host={host}>
            <ShellPages />
          </HostProvider>
        ) : (
          <RemoteArea name={owner} host={host} />
        )}
      </AccessGuard>
    </Frame>
  );
}
