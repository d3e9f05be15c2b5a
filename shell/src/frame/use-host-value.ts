import type { Host } from '@alpenglow/ui';
import { useMemo } from 'react';
import { useNavigate } from 'react-router-dom';
import { onPageShown } from '../gates/page-shown.ts';
import { onLive, onThreadLive } from '../live/live.ts';
import { useCurrentLocale } from '../locale/locale.ts';
import { describeError } from '../reports/describe-error.ts';
import { confirmPassword } from '../session/confirmation/confirmation-request.ts';
import { accountGone, sessionStore, useSession } from '../session/session.ts';
import { useNotify } from './notices.tsx';
import { showUploads } from './uploads/background-uploads.ts';

/**
 * Returns the functions of the shell that a front end uses. `reportPageError` must stay the same function, because its
 * change renders the front end again.
 */
export function useHostValue(reportPageError: () => void): Host {
  const session = useSession();
  const notify = useNotify();
  const locale = useCurrentLocale();
  const navigate = useNavigate();
  return useMemo(
    () => ({
      session,
      updateUser: sessionStore.updateUser,
      navigate: (to, options) => void navigate(to, options),
      notify,
      onLive,
      onThreadLive,
      onPageShown,
      locale,
      sessionEnded: sessionStore.requestWasRejected,
      accountGone,
      confirmPassword,
      hasStoredSession: sessionStore.hasStoredSession,
      reportPageError,
      describeError: (error) => describeError(error, session),
      showUploads,
    }),
    [session, navigate, notify, locale, reportPageError],
  );
}
