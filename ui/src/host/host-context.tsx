import { createContext, use, useEffect, useEffectEvent, useMemo, type ReactNode } from 'react';
import type { AdLiveMessage, ThreadLiveMessage, UserView } from '@alpenglow/domain/contracts';
import { ApiProvider } from '../api/api-context.tsx';
import { LocaleProvider } from '../i18n/text.tsx';
import type { Host, LiveInterest } from './contract.ts';

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

/** Returns the functions of the shell, or null outside of a `HostProvider`. */
export const useOptionalHost = (): Host | null => use(HostContext);

export function useHost(): Host {
  const host = useOptionalHost();
  if (!host) throw new Error('useHost must be used within a HostProvider');
  return host;
}

/** Returns the signed-in user, or null. */
export function useUser(): UserView | null {
  const { session } = useHost();
  return session.state === 'authenticated' ? session.user : null;
}

/** Calls `listener` for live messages about ads while the component is mounted, at least for those of `interest`. */
export function useAdLiveMessages(listener: (message: AdLiveMessage) => void, interest: LiveInterest): void {
  const { onLive } = useHost();
  const onMessage = useEffectEvent(listener);
  const stable = useStableInterest(interest);
  useEffect(() => onLive((message) => onMessage(message), stable), [onLive, stable]);
}

/**
 * Calls `listener` for live messages about threads while the component is mounted, at least for those of `interest`.
 * Does nothing in older shells, which do not provide these messages.
 */
export function useThreadLiveMessages(listener: (message: ThreadLiveMessage) => void, interest: LiveInterest): void {
  const { onThreadLive } = useHost();
  const onMessage = useEffectEvent(listener);
  const stable = useStableInterest(interest);
  useEffect(() => onThreadLive?.((message) => onMessage(message), stable), [onThreadLive, stable]);
}

/** Returns the same object until the content of `interest` changes, so that effects do not run after each render. */
export function useStableInterest(interest: LiveInterest): LiveInterest {
  const text = JSON.stringify(interest);
  return useMemo(() => JSON.parse(text) as LiveInterest, [text]);
}
