import { DomainError } from '@alpenglow/domain';
import { parseInput } from '@alpenglow/infra';
import * as z from 'zod/mini';

/** A period of whole days, UTC, both ends included. */
export interface Period {
  readonly from: string;
  readonly to: string;
  /** Null: as an answer; else as a file. */
  readonly format: 'json' | 'csv' | null;
}

const DAY_ms = 24 * 60 * 60_000;
const USUAL_days = 30;
const MOST_days = 3_660;
const BAD_DAY = 'A day is written as 2026-12-31';

const query = z.object({
  from: z.optional(z.iso.date({ error: BAD_DAY })),
  to: z.optional(z.iso.date({ error: BAD_DAY })),
  format: z.optional(z.enum(['json', 'csv'], 'A report is exported as json or csv')),
});

/** Reads which period is meant: the last 30 days where nothing is said. Throws INVALID_FIELDS. */
export function parsePeriod(input: unknown, now_ms: number): Period {
  const { from: first, to: last, format } = parseInput(query, input);
  const to_ms =
    last === undefined ? (first === undefined ? now_ms : Math.max(now_ms, Date.parse(first))) : Date.parse(last);
  const from_ms = first === undefined ? to_ms - (USUAL_days - 1) * DAY_ms : Date.parse(first);
  if (from_ms > to_ms) throw refused('from', 'The first day comes after the last one');
  if (to_ms - from_ms > MOST_days * DAY_ms) throw refused('from', 'A report covers ten years at most');
  return { from: dayOf(from_ms), to: dayOf(to_ms), format: format ?? null };
}

function refused(field: string, reason: string): DomainError {
  return new DomainError('INVALID_FIELDS', { reason }, null, { [field]: reason });
}

function dayOf(time_ms: number): string {
  return new Date(time_ms).toISOString().slice(0, 10);
}
