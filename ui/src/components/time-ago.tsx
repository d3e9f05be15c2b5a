import { useSyncExternalStore } from 'react';
import { getRenderTime_ms, useIsHydrated } from '../host/rendering.ts';
import { t } from '../i18n/i18n.ts';
import { useLocale } from '../i18n/text.tsx';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Formats by language and kind. Creating one takes longer than formatting all times of a list. */
const formats: Record<string, Intl.RelativeTimeFormat> = {};

/** Formats the time since `at`, e.g. `3 hours ago` or `just now`. A time in the future is formatted as `just now`. */
export function formatTimeAgo(at: string, now_ms: number, locale: string): string {
  const past_s = Math.max(0, (now_ms - Date.parse(at)) / 1000);
  for (const [unit, length_s] of UNITS) {
    if (past_s >= length_s) {
      // Only days are formatted with words such as `yesterday`. Other units are formatted with numbers, because `last
      // week` is less precise than `1 wk ago`.
      const numeric = unit === 'day' ? 'auto' : 'always';
      const format = (formats[locale + numeric] ??= new Intl.RelativeTimeFormat(locale, { numeric, style: 'short' }));
      const text = format.format(-Math.floor(past_s / length_s), unit);
      // In English, the period of an abbreviation is in the middle of the text and looks like the end of a sentence.
      return text.replace('. ago', ' ago');
    }
  }
  return t('ui.justNow');
}

const REFRESH_ms = 30_000;

/** Returns the current time of the server in ms since 1970. The clock of this device may be wrong. */
export const getServerTime_ms = () => Date.now() + (globalThis.alpenglowClockOffset_ms ?? 0);

/** The current time of the server for all components of a page, which one timer updates. */
function createClock(every_ms: number) {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let now_ms = getServerTime_ms();
  const tick = () => {
    now_ms = getServerTime_ms();
    for (const listener of listeners) listener();
  };
  return {
    now_ms(): number {
      // Without listeners, no timer is running.
      if (listeners.size === 0 && Math.abs(getServerTime_ms() - now_ms) >= every_ms) now_ms = getServerTime_ms();
      return now_ms;
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      timer ??= setInterval(tick, every_ms);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

const clock = createClock(REFRESH_ms);

/** Returns the current time of the server, which is updated every 30 seconds. */
export function useNow(): number {
  return useSyncExternalStore(clock.subscribe, clock.now_ms, getRenderTime_ms);
}

/** Shows the time since `at` (ISO 8601) and updates it regularly. The tooltip contains the full time. */
export function TimeAgo({ at }: { readonly at: string }) {
  const locale = useLocale();
  const isHydrated = useIsHydrated();
  // The component is rendered again only if its text changes.
  const text = useSyncExternalStore(
    clock.subscribe,
    () => formatTimeAgo(at, clock.now_ms(), locale),
    () => formatTimeAgo(at, getRenderTime_ms(), locale),
  );
  return (
    <time suppressHydrationWarning dateTime={at} title={isHydrated ? new Date(at).toLocaleString(locale) : undefined}>
      {text}
    </time>
  );
}

/** Returns true while less than `limit_ms` have passed since `at` (ISO 8601). */
export function useIsRecent(at: string, limit_ms: number): boolean {
  const isRecent = (now_ms: number) => now_ms - Date.parse(at) < limit_ms;
  return useSyncExternalStore(
    clock.subscribe,
    () => isRecent(clock.now_ms()),
    () => isRecent(getRenderTime_ms()),
  );
}
