import { createContext, use, useMemo, type ReactNode } from 'react';
import type { Session } from '../host/contract.ts';
import { createApi, type Api } from './client.ts';

const ApiContext = createContext<Api | null>(null);

export interface ApiProviderProps {
  readonly session: Session;
  /** Called when the API rejects a request because the session has ended. */
  readonly onSessionEnded: () => void;
  /** Asks the user to enter the password again. Older shells do not provide this function. */
  readonly confirmPassword?: (() => Promise<boolean>) | undefined;
  /** Returns false if this browser no longer stores the session. */
  readonly hasStoredSession?: (() => boolean) | undefined;
  readonly children: ReactNode;
}

/** Provides an API client with the visitor's session to its children. */
export function ApiProvider({
  session,
  onSessionEnded,
  confirmPassword,
  hasStoredSession,
  children,
}: ApiProviderProps) {
  const token = session.state === 'authenticated' ? session.token : null;
  const api = useMemo(
    () => createApi({ token, onSessionEnded, confirmPassword, hasStoredSession }),
    [token, onSessionEnded, confirmPassword, hasStoredSession],
  );
  return <ApiContext value={api}>{children}</ApiContext>;
}

export function useApi(): Api {
  const api = use(ApiContext);
  if (!api) throw new Error('useApi must be used within an ApiProvider');
  return api;
}
