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
import { Guarded } from './routes/guarded.tsx';
import { areaOf } from './routes/owners.ts';
import { ShellPages } from './routes/shell-pages.tsx';
import { accountGone, sessionStore, useSession } from './session/session.ts';

/** The composed site: gates, frame, and in it the page of whoever owns the address. */
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
      sessionEnded: sessionStore.callWasRefused,
      accountGone,
    }),
    [session, navigate, notify, locale],
  );

  // In place of the page, not over it: nothing behind a gate can be reached.
  if (!consent.ageConfirmed) return <AgeGate onConfirm={consent.confirmAge} />;
  if (!consent.guidelinesAccepted) return <GuidelinesGate onAccept={consent.acceptGuidelines} />;

  const { owner, access } = areaOf(pathname);
  return (
    <Frame session={session} consent={consent} toasts={toasts} onDismissToast={dismiss}>
      <Guarded key={owner} access={access} session={session} keepsStanding={owner === 'mf-post-ad'}>
        {owner === 'shell' ? (
          <HostProvider host={host}>
            <ShellPages />
          </HostProvider>
        ) : (
          <RemoteArea name={owner} host={host} />
        )}
      </Guarded>
    </Frame>
  );
}
