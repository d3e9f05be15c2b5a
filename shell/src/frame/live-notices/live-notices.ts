import type { AdLiveMessage } from '@alpenglow/domain/contracts';

type Kind = AdLiveMessage['type'];

/** The content of the only toast of live messages. */
export interface LiveNotice {
  /** Identifies the toast. It changes when a toast is shown after the previous one has disappeared. */
  readonly id: number;
  /** The number of messages by kind since the toast appeared. */
  readonly counts: Readonly<Partial<Record<Kind, number>>>;
  /** Time after which the toast disappears if no further message arrives. */
  readonly lifetime_ms: number;
}

/** Time for which a toast stays after its last change. */
const LIFETIME_ms = 6_000;
/** Maximum time for which a toast stays, even if messages continue to arrive. */
export const LIFETIME_MAX_ms = 12_000;
/** Minimum time between two changes of a toast. Messages in between are counted together. */
const GATHER_ms = 2_000;
/** Maximum number of toasts that may follow each other at once. One more is allowed every `NEXT_TOAST_ms`. */
const TOASTS_AT_ONCE = 3;
const NEXT_TOAST_ms = 60_000;

interface LiveNoticesOptions {
  readonly now: () => number;
  /** Shows the toast, or changes it. */
  readonly show: (notice: LiveNotice) => void;
}

/**
 * Combines live messages into one toast, so that many messages show few toasts. A toast counts the messages while it is
 * shown, and disappears after `LIFETIME_MAX_ms` at the latest. If many toasts follow each other, messages are ignored
 * for some time.
 */
export function createLiveNotices({ now, show }: LiveNoticesOptions) {
  let current: { readonly id: number; readonly since_ms: number; counts: LiveNotice['counts'] } | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let allowed = TOASTS_AT_ONCE;
  let allowedAt_ms = now();
  let lastId = 0;

  function isToastAllowed(): boolean {
    const gained = Math.floor((now() - allowedAt_ms) / NEXT_TOAST_ms);
    allowed = Math.min(TOASTS_AT_ONCE, allowed + gained);
    allowedAt_ms += gained * NEXT_TOAST_ms;
    if (allowed === 0) return false;
    if (allowed === TOASTS_AT_ONCE) allowedAt_ms = now();
    allowed -= 1;
    return true;
  }

  function showCurrent(): void {
    timer = null;
    if (!current) return;
    const { id, since_ms, counts } = current;
    const rest_ms = since_ms + LIFETIME_MAX_ms - now();
    if (rest_ms > 0) show({ id, counts, lifetime_ms: Math.min(LIFETIME_ms, rest_ms) });
  }

  return {
    add(kind: Kind): void {
      // A toast stays longer only while the pointer or the focus is on it. Then the next message replaces it.
      if (!current || now() - current.since_ms >= LIFETIME_MAX_ms) {
        if (!isToastAllowed()) return;
        lastId += 1;
        current = { id: lastId, since_ms: now(), counts: { [kind]: 1 } };
        showCurrent();
        return;
      }
      current.counts = { ...current.counts, [kind]: (current.counts[kind] ?? 0) + 1 };
      timer ??= setTimeout(showCurrent, GATHER_ms);
    },
    /** Must be called when the toast has disappeared. */
    closed(): void {
      if (timer !== null) clearTimeout(timer);
      timer = current = null;
    },
  };
}
