import { createContext, use, useMemo, type ReactNode } from 'react';
import type { Session } from '../host/contract.ts';
import { createApi, type Api } from './client.ts';

const ApiContext = createContext<Api | null>(null);

export interface ApiProviderProps {
  readonly session: Session;
  /** Called when the server no longer knows the session that a call was made in. */
  readonly onSessionEnded: () => void;
  readonly children: ReactNode;
}

/** Gives everything below it a client that speaks as the visitor. */
export function ApiProvider({ session, onSessionEnded, children }: ApiProviderProps) {
  const token = session.state === 'authenticated' ? session.token : null;
  const api = useMemo(() => createApi({ token, onSessionEnded }), [token, onSessionEnded]);
  return <ApiContext value={api}>{children}</ApiContext>;
}

export function useApi(): Api {
  const api = use(ApiContext);
  if (!api) throw new Error('useApi needs an ApiProvider above it');
  return api;
}
