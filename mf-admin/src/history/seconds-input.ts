import { parseDateTimeInput, toDateTimeInput } from '../blog/date-time-input.ts';

/**
 * Converts an ISO 8601 time to the value of a `datetime-local` input with seconds, such as
 * `2027-01-01T08:00:30`. The value is in the visitor's time zone.
 */
export function toSecondsInput(iso: string): string {
  return `${toDateTimeInput(iso)}:${String(new Date(iso).getSeconds()).padStart(2, '0')}`;
}

/**
 * Converts the value of an input to ISO 8601 in UTC. The result is the last millisecond of the selected second, so that
 * all events of this second are included. Returns null for an invalid time.
 */
export function parseSecondsInput(text: string): string | null {
  const at = parseDateTimeInput(text);
  return at === null ? null : new Date(Date.parse(at) + 999).toISOString();
}
