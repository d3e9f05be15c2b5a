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

/** Formats the time since `at`, e.g. `3 hours ago` or `just now`. A time in the future is formatted as `just now`. */
export function formatTimeAgo(at: string, now_ms: number, locale: string): string {
  const past_s = Math.max(0, (now_ms - Date.parse(at)) / 1000);
  for (const [unit, length_s] of UNITS) {
    if (past_s >= length_s) {
      // Only days are formatted with words such as `yesterday`. Other units are formatted with numbers, because `last
      // week` is less precise than `1 wk ago`.
      const text = new Intl.RelativeTimeFormat(locale, {
        numeric: unit === 'day' ? 'auto' : 'always',
        style: 'short',
      }).format(-Math.floor(past_s / length_s), unit);
      // In English, the period of an abbreviation is in the middle of the text and looks like the end of a sentence.
      return text.replace('. ago', ' ago');
    }
  }
  return t('ui.justNow');
}

const REFRESH_ms = 30_000;

/** Returns the current time and updates it every `every_ms`. Each component that calls this hook has its own timer. */
export function useNow(every_ms: number = REFRESH_ms): number {
  const [now_ms, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now_ms;
}

/** Shows the time since `at` (ISO 8601) and updates it regularly. The tooltip contains the full time. */
export function TimeAgo({ at }: { readonly at: string }) {
  const locale = useLocale();
  const now_ms = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString(locale)}>
      {formatTimeAgo(at, now_ms, locale)}
    </time>
  );
}
