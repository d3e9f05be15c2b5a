import { createContext, use, useMemo, type ReactNode } from 'react';
import type { Session } from '../host/contract.ts';
import { createApi, type Api } from './client.ts';

const ApiContext = createContext<Api | null>(null);

/** Gives everything below it a client that speaks as the visitor. */
export function ApiProvider({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  const token = session.state === 'authenticated' ? session.token : null;
  const api = useMemo(() => createApi({ token }), [token]);
  return <ApiContext value={api}>{children}</ApiContext>;
}

export function useApi(): Api {
  const api = use(ApiContext);
  if (!api) throw new Error('useApi needs an ApiProvider above it');
  return api;
}
