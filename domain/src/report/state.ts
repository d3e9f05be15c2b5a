import type { Aggregate } from '../aggregate.ts';
import { reportEvents, type ReportEvent } from './events.ts';

/** State of a report. Null before the report is filed. */
export type ReportState = { readonly reportId: string } | null;

export const report: Aggregate<ReportState, ReportEvent> = {
  name: 'report',
  initial: null,
  evolve: (_state, { data: { reportId } }) => ({ reportId }),
  eventDefinitions: reportEvents,
};

/** The number of hexadecimal digits of a report id that are part of the reference. They contain 74 random bits. */
const REFERENCE_DIGITS = 19;
const REFERENCE_characters = 15;
/** Reports from before this time have short references (40 bits), because their reporters already know them. */
const SHORT_REFERENCES_UNTIL = '2026-11-23T00:00:00.000Z';
const SHORT_REFERENCE_DIGITS = 10;
const SHORT_REFERENCE_characters = 8;

/**
 * Returns the reference with which a reporter can request the status of a report. It is too long to be guessed.
 * `filedAt` is the time of the report in ISO 8601.
 */
export function reportReference(reportId: string, filedAt: string): string {
  const [digits, characters] =
    filedAt < SHORT_REFERENCES_UNTIL
      ? [SHORT_REFERENCE_DIGITS, SHORT_REFERENCE_characters]
      : [REFERENCE_DIGITS, REFERENCE_characters];
  return `R-${toReference(reportId, digits, characters)}`;
}

/** Returns the last hexadecimal digits of an id as letters and digits. The default has 74 random bits. */
export function toReference(id: string, digits = REFERENCE_DIGITS, characters = REFERENCE_characters): string {
  return BigInt(`0x${id.replaceAll('-', '').slice(-digits)}`)
    .toString(36)
    .toUpperCase()
    .padStart(characters, '0');
}
