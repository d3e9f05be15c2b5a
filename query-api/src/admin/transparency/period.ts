import type { QueryOf } from '@alpenglow/domain/api';
import { createFieldError } from '../../paging.ts';

/** A period of whole days in UTC, including the first and the last day. */
export interface Period {
  readonly from: string;
  readonly to: string;
  /** The file format of the requested report. Null for a JSON response without a file name. */
  readonly format: 'json' | 'csv' | null;
}

const DAY_ms = 24 * 60 * 60_000;
const DEFAULT_days = 30;
const MAX_days = 3_660;

/** Returns the requested period. The default is the last 30 days. Throws INVALID_FIELDS. */
export function toPeriod({ from: first, to: last, format }: QueryOf<'getTransparencyReport'>, now_ms: number): Period {
  const to_ms =
    last === undefined ? (first === undefined ? now_ms : Math.max(now_ms, Date.parse(first))) : Date.parse(last);
  const from_ms = first === undefined ? to_ms - (DEFAULT_days - 1) * DAY_ms : Date.parse(first);
  if (from_ms > to_ms) throw createFieldError('from', 'The first day comes after the last one');
  if (to_ms - from_ms > MAX_days * DAY_ms) throw createFieldError('from', 'A report covers ten years at most');
  return { from: toDay(from_ms), to: toDay(to_ms), format: format ?? null };
}

function toDay(time_ms: number): string {
  return new Date(time_ms).toISOString().slice(0, 10);
}
