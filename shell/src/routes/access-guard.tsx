import type { Session } from '@alpenglow/ui';
import { useState, type ReactNode } from 'react';
import { Navigate, useLocation, type Location } from 'react-router-dom';
import { LoadingScreen } from '../frame/loading-screen.tsx';
import { isProvider } from '../session/roles.ts';
import type { Access } from './owners.ts';

/** The navigation state for `/login` and `/signup`. `from` is the page that redirected the visitor. */
export interface RedirectState {
  readonly from: string;
}

/** The navigation state for `/` after a user without a staff role has opened the admin area. */
interface DenialState {
  readonly isStaffOnly: true;
}

/** Checks whether the user was redirected to the current page because the requested page is only for staff. */
export const wasDenied = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'isStaffOnly' in state && state.isStaffOnly === true;

/** Returns the path to open after signing in. Returns null if the visitor was not redirected. */
export function getRedirectPath(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('from' in state) || typeof state.from !== 'string') return null;
  // Accepts only paths of this site. Browsers ignore tabs and line breaks in URLs and read `//host` as another site.
  return /^\/(?![/\\])[^\t\n\r]*$/u.test(state.from) ? state.from : null;
}

const addressOf = ({ pathname, search, hash }: Location) => pathname + search + hash;

interface GuardedProps {
  readonly access: Access;
  readonly session: Session;
  /**
   * If true, the page stays visible when the session of a signed-in visitor ends. Unsaved input is not lost, and the
   * page itself shows that an account is required.
   */
  readonly staysAfterSessionEnd: boolean;
  readonly children: ReactNode;
}

/**
 * Redirects visitors who must not see the children. The server also checks every request. Each area
 * of the site has its own instance of this component (through its `key`), so that access is checked for each area.
 */
export function AccessGuard({ access, session, staysAfterSessionEnd, children }: GuardedProps) {
  const location = useLocation();
  const [hadAccess, setHadAccess] = useState(false);
  if (!hadAccess && session.state === 'authenticated') setHadAccess(true);
  if (access === 'everyone' || (staysAfterSessionEnd && hadAccess)) return children;
  switch (session.state) {
    case 'unknown':
      return <LoadingScreen />;
    case 'anonymous':
      return <Navigate to="/login" replace state={{ from: addressOf(location) } satisfies RedirectState} />;
    case 'authenticated':
      if (access === 'staff' && !session.user.isModerator)
        return <Navigate to="/" replace state={{ isStaffOnly: true } satisfies DenialState} />;
      if (/^\/profile\/*$/u.test(location.pathname) && isProvider(session.user))
        return <Navigate to="/provider-profile" replace />;
      return children;
  }
}
