import type { Host } from '@alpenglow/ui';
import { useMemo } from 'react';
import { useNavigate } from 'react-router-dom';
import { onPageShown } from '../gates/page-shown.ts';
import { onLive, onThreadLive } from '../live/live.ts';
import { useCurrentLocale } from '../locale/locale.ts';
import { confirmPassword } from '../session/confirmation/confirmation-request.ts';
import { accountGone, sessionStore, useSession } from '../session/session.ts';
import { useNotices } from './notices.tsx';
import { showUploads } from './uploads/background-uploads.ts';

/**
 * Returns the functions of the shell that a front end uses. `reportPageError` must stay the same function, because its
 * change renders the front end again.
 */
export function useHostValue(reportPageError: () => void): Host {
  const session = useSession();
  const { notify, announceLive } = useNotices();
  const locale = useCurrentLocale();
  const navigate = useNavigate();
  return useMemo(
    () => ({
      session,
      updateUser: sessionStore.updateUser,
      navigate: (to, options) => void navigate(to, options),
      notify,
      onLive,
      announceLive,
      onThreadLive,
      onPageShown,
      locale,
      sessionEnded: sessionStore.requestWasRejected,
      accountGone,
      confirmPassword,
      hasStoredSession: sessionStore.hasStoredSession,
      reportPageError,
      showUploads,
    }),
    [session, navigate, notify, announceLive, locale, reportPageError],
  );
}
