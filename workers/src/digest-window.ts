import { DIGEST_HOUR_utc } from '@alpenglow/domain';
import type { TimeSpan } from '@alpenglow/infra';

/** What has just been posted may still be on its way to the read models. */
const SETTLED_ms = 60_000;
const DAY_ms = 24 * 60 * 60_000;
/** How many days back a mail is still worth it: no longer than it is remembered that it was sent. */
const DAYS_BACK = 2;

/** The 24 hours a day's mail tells of. They end on that day (YYYY-MM-DD) at the hour of these mails. */
export function digestWindow(day: string): TimeSpan {
  const to_ms = Date.parse(`${day}T00:00:00.000Z`) + DIGEST_HOUR_utc * 60 * 60_000;
  return { from: new Date(to_ms - DAY_ms), to: new Date(to_ms) };
}

/** The days whose mails are due: the last one that is over, and the one before in case nobody was there to send them. */
export function dueDigestDays(now_ms: number): readonly string[] {
  const last_ms = now_ms - SETTLED_ms - DIGEST_HOUR_utc * 60 * 60_000;
  return Array.from({ length: DAYS_BACK }, (_, back) => new Date(last_ms - back * DAY_ms).toISOString().slice(0, 10));
}
