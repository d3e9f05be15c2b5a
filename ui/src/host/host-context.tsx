import { createContext, use, useEffect, useEffectEvent, type ReactNode } from 'react';
import type { AdLiveMessage, ThreadLiveMessage, UserView } from '@alpenglow/domain/contracts';
import { ApiProvider } from '../api/api-context.tsx';
import { LocaleProvider } from '../i18n/text.tsx';
import type { Host } from './contract.ts';

const HostContext = createContext<Host | null>(null);

interface HostProviderProps {
  readonly host: Host;
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/**
 * The root component of a remote. Provides the shell's functions (`host`), the visitor's language and an API client to
 * its children.
 */
export function HostProvider({ host, fallback, children }: HostProviderProps) {
  return (
    <HostContext value={host}>
      <LocaleProvider locale={host.locale} fallback={fallback}>
        <ApiProvider
          session={host.session}
          onSessionEnded={host.sessionEnded}
          confirmPassword={host.confirmPassword}
          hasStoredSession={host.hasStoredSession}
        >
          {children}
        </ApiProvider>
      </LocaleProvider>
    </HostContext>
  );
}

export function useHost(): Host {
  const host = use(HostContext);
  if (!host) throw new Error('useHost must be used within a HostProvider');
  return host;
}

/** Returns the signed-in user, or null. */
export function useUser(): UserView | null {
  const { session } = useHost();
  return session.state === 'authenticated' ? session.user : null;
}

/** Calls `listener` for every live message about an ad while the component is mounted. */
export function useAdLiveMessages(listener: (message: AdLiveMessage) => void): void {
  const { onLive } = useHost();
  const onMessage = useEffectEvent(listener);
  useEffect(() => onLive((message) => onMessage(message)), [onLive]);
}

/**
 * Calls `listener` for every live message about a thread while the component is mounted. Does nothing in older shells,
 * which do not provide these messages.
 */
export function useThreadLiveMessages(listener: (message: ThreadLiveMessage) => void): void {
  const { onThreadLive } = useHost();
  const onMessage = useEffectEvent(listener);
  useEffect(() => onThreadLive?.((message) => onMessage(message)), [onThreadLive]);
}
