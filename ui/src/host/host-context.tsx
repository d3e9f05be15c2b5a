import { createContext, use, useEffect, useEffectEvent, type ReactNode } from 'react';
import type { AdLiveMessage, ThreadLiveMessage, UserView } from '@alpenglow/domain/contracts';
import { ApiProvider } from '../api/api-context.tsx';
import { Localized } from '../i18n/text.tsx';
import type { Host } from './contract.ts';

const HostContext = createContext<Host | null>(null);

/** The outermost element of a remote: hands the host, the visitor's language, and a client that speaks as the visitor, to everything below. */
export function HostProvider({
  host,
  fallback,
  children,
}: {
  readonly host: Host;
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <HostContext value={host}>
      <Localized locale={host.locale} fallback={fallback}>
        <ApiProvider session={host.session} onSessionEnded={host.sessionEnded}>
          {children}
        </ApiProvider>
      </Localized>
    </HostContext>
  );
}

export function useHost(): Host {
  const host = use(HostContext);
  if (!host) throw new Error('useHost needs a HostProvider above it');
  return host;
}

/** The signed-in user, or null. */
export function useUser(): UserView | null {
  const { session } = useHost();
  return session.state === 'authenticated' ? session.user : null;
}

/** Calls back for every live message of an ad while the component stands. */
export function useLive(listener: (message: AdLiveMessage) => void): void {
  const { onLive } = useHost();
  const onMessage = useEffectEvent(listener);
  useEffect(() => onLive((message) => onMessage(message)), [onLive]);
}

/** Calls back for every live message of a thread while the component stands; never in a shell that does not hand them out. */
export function useThreadLive(listener: (message: ThreadLiveMessage) => void): void {
  const { onThreadLive } = useHost();
  const onMessage = useEffectEvent(listener);
  useEffect(() => onThreadLive?.((message) => onMessage(message)), [onThreadLive]);
}
