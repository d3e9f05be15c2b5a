import { useText } from '../text.ts';
import type { LiveKind } from './use-live-events.ts';

interface LiveNoticeProps {
  /** The number of new ads that the list does not show yet. */
  readonly waiting: number;
  /** The kinds of the events that concern the list. */
  readonly events: readonly LiveKind[];
}

/**
 * Returns the only notice of a list about live events (R-4.13): the text of a single event that the list shows, the
 * number of new ads, or the number of updates with the text of the latest one. `count` is 0 without a notice.
 */
export function useLiveNotice({ waiting, events }: LiveNoticeProps): { readonly count: number; readonly text: string } {
  const t = useText();
  const count = Math.max(waiting, events.length);
  const latest = events.at(-1);
  if (count === 1 && waiting === 0 && latest !== undefined) return { count, text: t(`live.${latest}`) };
  if (latest === undefined || events.every((kind) => kind === 'ad_created'))
    return { count, text: t('newAds', { count }) };
  return { count, text: `${t('updates', { count })} · ${t(`live.${latest}`)}` };
}
