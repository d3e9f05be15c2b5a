import { useToasts, type Notice } from '@alpenglow/ui';
import { useCallback, useEffect, useState } from 'react';
import { onLive } from '../live/live.ts';
import { createEchoFilter } from '../live/echo-filter.ts';
import { sessionStore } from '../session/session.ts';
import { useText } from '../text.ts';

/** The toasts of the page: what remotes say, live messages of ads, and a session that came to its end. */
export function useNotices() {
  const t = useText();
  const { toasts, notify: show, dismiss } = useToasts();
  const [shows] = useState(() => createEchoFilter(() => performance.now()));

  const notify = useCallback(
    (notice: Notice) => {
      if (shows(notice.text, 'page')) show(notice);
    },
    [show, shows],
  );
  useEffect(
    () =>
      onLive(({ type }) => {
        const text = t(`live.${type}`);
        if (shows(text, 'channel')) show({ text });
      }),
    [show, shows, t],
  );
  useEffect(
    () =>
      sessionStore.onEnding((ending) =>
        show({
          text: t(ending === 'refused' ? 'api.tokenVerificationFailed' : 'api.authenticationRequired'),
          tone: 'danger',
        }),
      ),
    [show, t],
  );
  return { toasts, notify, dismiss };
}
