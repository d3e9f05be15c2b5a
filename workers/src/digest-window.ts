import { DIGEST_HOUR_utc } from '@alpenglow/domain';
import type { TimeSpan } from '@alpenglow/infra';

/** The assumed maximum time in ms until the read models contain a new post. */
const READ_MODEL_DELAY_ms = 60_000;
const DAY_ms = 24 * 60 * 60_000;
/**
 * Number of days whose daily mails may still be sent. The records of sent mails are stored for at least this time, so
 * no mail is sent twice.
 */
const DAYS_BACK = 2;

/** Returns the 24 hours that the daily mail of `day` covers. They end at `DIGEST_HOUR_utc` on that day. */
export function digestWindow(day: string): TimeSpan {
  const to_ms = Date.parse(`${day}T00:00:00.000Z`) + DIGEST_HOUR_utc * 60 * 60_000;
  return { from: new Date(to_ms - DAY_ms), to: new Date(to_ms) };
}

/** Returns the time from which the daily mail of `day` may be sent, in ms since 1970. */
export function digestDue_ms(day: string): number {
  return digestWindow(day).to.getTime() + READ_MODEL_DELAY_ms;
}

/**
 * Returns the days whose daily mails are due: the last completed day and the day before it. The earlier day is
 * included, because no worker may have been running when the mails of that day were due.
 */
export function dueDigestDays(now_ms: number): readonly string[] {
  const last_ms = now_ms - READ_MODEL_DELAY_ms - DIGEST_HOUR_utc * 60 * 60_000;
  return Array.from({ length: DAYS_BACK }, (_, back) => new Date(last_ms - back * DAY_ms).toISOString().slice(0, 10));
}
