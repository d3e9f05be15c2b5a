import type { AdLiveMessage } from '@alpenglow/domain/contracts';
import { useToasts, type Notice } from '@alpenglow/ui';
import { useCallback, useEffect, useRef, useState } from 'react';
import { createEchoFilter } from '../live/echo-filter.ts';
import { sessionStore } from '../session/session.ts';
import { useText } from '../text.ts';

/**
 * Returns the toasts (short messages) of the page. They show notices from remotes and the end of a session.
 * `announceLive` shows the toast of a live message. Remotes call it for ads in the lists of the page.
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
  const announced = useRef<string | null>(null);
  const announceLive = useCallback(
    ({ seq, type }: AdLiveMessage) => {
      // Two lists on one page may contain the same ad.
      if (seq === announced.current) return;
      announced.current = seq;
      const text = t(`live.${type}`);
      if (shouldShow(text, 'channel')) show({ text });
    },
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
  return { toasts, notify, announceLive, dismiss };
}
