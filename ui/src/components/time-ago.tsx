import { useEffect, useState } from 'react';
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

/** `3 hours ago`, `just now`; a time ahead (a clock that is off) counts as now. */
export function timeAgo(at: string, now_ms: number, locale: string): string {
  const past_s = Math.max(0, (now_ms - Date.parse(at)) / 1000);
  for (const [unit, length_s] of UNITS) {
    if (past_s >= length_s) {
      // `yesterday` is a word everybody uses; `last week` is longer than `1 wk. ago` in every language, and says less.
      return new Intl.RelativeTimeFormat(locale, {
        numeric: unit === 'day' ? 'auto' : 'always',
        style: 'short',
      }).format(-Math.floor(past_s / length_s), unit);
    }
  }
  return t('ui.justNow');
}

const REFRESH_ms = 30_000;

/** The time now, refreshed every `every_ms`; one clock a component. */
export function useNow(every_ms: number = REFRESH_ms): number {
  const [now_ms, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now_ms;
}

/** How long ago `at` (ISO 8601) was, kept fresh; the full time on hover. */
export function TimeAgo({ at }: { readonly at: string }) {
  const locale = useLocale();
  const now_ms = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(locale)}>
      {timeAgo(at, now_ms, locale)}
    </time>
  );
}
