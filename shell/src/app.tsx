import { HostProvider, useToasts, type Host } from '@alpenglow/ui';
import { useEffect, useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { Frame } from './frame/frame.tsx';
import { AgeGate, GuidelinesGate } from './gates/gate.tsx';
import { useConsent } from './gates/use-consent.ts';
import { useCurrentLocale } from './locale/locale.ts';
import { onLive, useLiveChannel } from './live/live.ts';
import { LIVE_TOASTS } from './messages.ts';
import { RemoteArea } from './remotes/remote-area.tsx';
import { Guarded } from './routes/guarded.tsx';
import { areaOf } from './routes/owners.ts';
import { ShellPages } from './routes/shell-pages.tsx';
import { sessionStore, useSession } from './session/session.ts';

/** The composed site: gates, frame, and in it the page of whoever owns the address. */
export function App() {
  const consent = useConsent();
  const session = useSession();
  const { toasts, notify, dismiss } = useToasts();
  const locale = useCurrentLocale();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  useLiveChannel();
  useEffect(() => onLive((message) => notify({ text: LIVE_TOASTS[message.type] })), [notify]);

  const host = useMemo<Host>(
    () => ({
      session,
      updateUser: sessionStore.updateUser,
      navigate: (to, options) => void navigate(to, options),
      notify,
      onLive,
      locale,
      sessionEnded: () => void sessionStore.verifyStored(),
    }),
    [session, navigate, notify, locale],
  );

  if (!consent.ageConfirmed) return <AgeGate onConfirm={consent.confirmAge} />;
  if (!consent.guidelinesAccepted) return <GuidelinesGate onAccept={consent.acceptGuidelines} />;

  const { owner, access } = areaOf(pathname);
  return (
    <Frame session={session} consent={consent} toasts={toasts} onDismissToast={dismiss}>
      <Guarded access={access} session={session}>
        {owner === 'shell' ? (
          <HostProvider host={host}>
            <ShellPages />
          </HostProvider>
        ) : (
          <RemoteArea key={owner} name={owner} host={host} />
        )}
      </Guarded>
    </Frame>
  );
}
