import type { Session } from '@alpenglow/ui';
import { useState, type ReactNode } from 'react';
import { Navigate, useLocation, type Location } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { isProvider } from '../session/roles.ts';
import type { Access } from './owners.ts';

/** What `/login` and `/signup` are told by a page that sent the visitor there, and come back to. */
export interface SentFrom {
  readonly from: string;
}

/** The address to go on to after signing in; null when the visitor came by themselves. */
export function sentFrom(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('from' in state) || typeof state.from !== 'string') return null;
  // Only ever a path of this site: `//host` would be another one, also with a tab or a line break in it, which browsers leave out.
  return /^\/(?![/\\])[^\t\n\r]*$/u.test(state.from) ? state.from : null;
}

const addressOf = ({ pathname, search, hash }: Location) => pathname + search + hash;

interface GuardedProps {
  readonly access: Access;
  readonly session: Session;
  /**
   * Whether what was shown to a signed-in visitor stays when the session ends under it, so that nothing half-written is lost. It says
   * itself, then, what an account is needed for.
   */
  readonly keepsStanding: boolean;
  readonly children: ReactNode;
}

/**
 * Sends those away who may not see what is inside (specification, section 2, "Routes"). The server checks every call again.
 * Each area has one of its own (by `key`): who was let into one has not been let into another.
 */
export function Guarded({ access, session, keepsStanding, children }: GuardedProps) {
  const location = useLocation();
  const [wasLetIn, setLetIn] = useState(false);
  if (!wasLetIn && session.state === 'authenticated') setLetIn(true);
  if (access === 'everyone' || (keepsStanding && wasLetIn)) return children;
  switch (session.state) {
    case 'unknown':
      return <LoadingScreen />;
    case 'anonymous':
      return <Navigate to="/login" replace state={{ from: addressOf(location) } satisfies SentFrom} />;
    case 'authenticated':
      if (access === 'staff' && !session.user.isModerator) return <Navigate to="/" replace />;
      if (/^\/profile\/*$/u.test(location.pathname) && isProvider(session.user))
        return <Navigate to="/provider-profile" replace />;
      return children;
  }
}
