import type { AdLiveMessage } from '@alpenglow/domain/contracts';
import { ToastRegion, TOASTS_MAX, useToasts, type Host, type Toast } from '@alpenglow/ui';
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { createEchoFilter } from '../live/echo-filter.ts';
import { sessionStore } from '../session/session.ts';
import { useText } from '../text.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { createLiveNotices, type LiveNotice } from './live-notices/live-notices.ts';
import { areLiveNoticesOn, chooseLiveNotices } from './live-notices/muted.ts';
import { UploadsNotice } from './uploads/uploads-notice.tsx';

type NoticeFunctions = Required<Pick<Host, 'notify' | 'announceLive'>>;

interface ShownNotices {
  readonly toasts: readonly Toast[];
  readonly live: LiveNotice | null;
  dismiss(id: number): void;
  mute(): void;
}

const FunctionsContext = createContext<NoticeFunctions | null>(null);
const ToastsContext = createContext<ShownNotices | null>(null);

/** The kinds of live messages, in the order of the toast. */
const KINDS = ['ad_created', 'ad_bumped', 'ad_updated', 'ad_deleted'] as const;
const now = () => performance.now();

/** The ids of the toasts of live messages are negative. Other toasts have positive ids. */
const toToastId = ({ id }: LiveNotice) => -id;

/**
 * Stores the toasts (short messages) of the page. They show notices from remotes and the end of a session. All live
 * messages share one toast. A new toast renders only the region of the toasts again, because the children do not
 * change.
 */
export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const t = useText();
  const { toasts, notify: show, dismiss: dismissToast } = useToasts();
  const [live, setLive] = useState<LiveNotice | null>(null);
  const [shouldShow] = useState(() => createEchoFilter(now));
  const [liveNotices] = useState(() => createLiveNotices({ now, show: setLive }));

  const notify = useCallback<Host['notify']>(
    (notice) => {
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
      if (!areLiveNoticesOn()) return;
      if (shouldShow(t(`live.${type}`, { count: 1 }), 'channel')) liveNotices.add(type);
    },
    [liveNotices, shouldShow, t],
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
  const closeLive = useCallback(() => {
    setLive(null);
    liveNotices.closed();
  }, [liveNotices]);
  const dismiss = useCallback((id: number) => (id < 0 ? closeLive() : dismissToast(id)), [closeLive, dismissToast]);
  const mute = useCallback(() => {
    chooseLiveNotices(false);
    closeLive();
    show({ text: t('live.muted') });
  }, [closeLive, show, t]);
  const functions = useMemo(() => ({ notify, announceLive }), [notify, announceLive]);
  const shown = useMemo(() => ({ toasts, live, dismiss, mute }), [toasts, live, dismiss, mute]);
  return (
    <FunctionsContext value={functions}>
      <ToastsContext value={shown}>{children}</ToastsContext>
    </FunctionsContext>
  );
}

/**
 * Returns the functions that show toasts. `announceLive` adds a live message to the toast of live messages. Remotes
 * call it for ads in the lists of the page.
 */
export function useNotices(): NoticeFunctions {
  const functions = use(FunctionsContext);
  if (!functions) throw new Error('useNotices must be used within a NoticesProvider');
  return functions;
}

/** The region of the page that shows the toasts. */
export function Toasts() {
  const shown = use(ToastsContext);
  const liveToast = useLiveToast(shown?.live ?? null, shown?.mute);
  const others = shown?.toasts ?? [];
  return (
    <ToastRegion
      toasts={liveToast ? [...others.slice(-(TOASTS_MAX - 1)), liveToast] : others}
      onDismiss={shown?.dismiss ?? ignore}
      silent={<UploadsNotice />}
    >
      <ConnectionNotice />
    </ToastRegion>
  );
}

const ignore = () => undefined;

/** Returns the toast of live messages, e.g. "3 new ads", with a button that mutes live messages. */
function useLiveToast(live: LiveNotice | null, mute: (() => void) | undefined): Toast | null {
  const t = useText();
  return useMemo(() => {
    if (!live || !mute) return null;
    const text = KINDS.flatMap((kind) => {
      const count = live.counts[kind] ?? 0;
      return count === 0 ? [] : [t(`live.${kind}`, { count })];
    }).join(' · ');
    return {
      id: toToastId(live),
      count: 1,
      text,
      lifetime_ms: live.lifetime_ms,
      action: { label: t('live.mute'), run: mute },
    };
  }, [live, mute, t]);
}
