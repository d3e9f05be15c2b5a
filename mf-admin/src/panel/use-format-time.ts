import { useLocale } from '@alpenglow/ui';

/** Returns a function that formats a date and a time. `short` includes minutes, and `medium` also includes seconds. */
export function useFormatTime(timeStyle: 'short' | 'medium' = 'short'): (at: string) => string {
  const format = new Intl.DateTimeFormat(useLocale(), { dateStyle: 'medium', timeStyle });
  return (at) => format.format(new Date(at));
}
