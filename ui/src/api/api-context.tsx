import { createContext, use, useMemo, type ReactNode } from 'react';
import type { Session } from '../host/contract.ts';
import { createApi, type Api } from './client.ts';

const ApiContext = createContext<Api | null>(null);

export interface ApiProviderProps {
  readonly session: Session;
  /** Called when the API rejects a request because the session has ended. */
  readonly onSessionEnded: () => void;
  readonly children: ReactNode;
}

/** Provides an API client with the visitor's session to its children. */
export function ApiProvider({ session, onSessionEnded, children }: ApiProviderProps) {
  const token = session.state === 'authenticated' ? session.token : null;
  const api = useMemo(() => createApi({ token, onSessionEnded }), [token, onSessionEnded]);
  return <ApiContext value={api}>{children}</ApiContext>;
}

export function useApi(): Api {
  const api = use(ApiContext);
  if (!api) throw new Error('useApi must be used within an ApiProvider');
  return api;
}
