import { createContext, use, useEffect, useEffectEvent, type ReactNode } from 'react';
import type { LiveMessage, UserView } from '@alpenglow/domain/contracts';
import { ApiProvider } from '../api/api-context.tsx';
import { Localized } from '../i18n/text.tsx';
import type { Host } from './contract.ts';

const HostContext = createContext<Host | null>(null);

/** The outermost element of a remote: hands the host, the visitor's language, and a client that speaks as the visitor, to everything below. */
export function HostProvider({ host, fallback, children }: { readonly host: Host; readonly fallback?: ReactNode; readonly children: ReactNode }) {
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

/** Calls back for every live message while the component stands. */
export function useLive(listener: (message: LiveMessage) => void): void {
  const { onLive } = useHost();
  const onMessage = useEffectEvent(listener);
  useEffect(() => onLive((message) => onMessage(message)), [onLive]);
}
