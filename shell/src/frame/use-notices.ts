import { useToasts, type Notice } from '@alpenglow/ui';
import { useCallback, useEffect, useState } from 'react';
import { onLive } from '../live/live.ts';
import { createEchoFilter } from '../live/echo-filter.ts';
import { sessionStore } from '../session/session.ts';
import { useText } from '../text.ts';

/**
 * Returns the toasts (short messages) of the page. They show notices from remotes, changes of ads, and the end of a
 * session.
 */
export function useNotices() {
  const t = useText();
  const { toasts, notify: show, dismiss } = useToasts();
  const [shouldShow] = useState(() => createEchoFilter(() => performance.now()));

  const notify = useCallback(
    (notice: Notice) => {
      if (shouldShow(notice.text, 'page')) show(notice);
    },
    [show, shouldShow],
  );
  useEffect(
    () =>
      onLive(({ type }) => {
        const text = t(`live.${type}`);
        if (shouldShow(text, 'channel')) show({ text });
      }),
    [show, shouldShow, t],
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
