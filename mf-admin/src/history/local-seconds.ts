import { fromLocalInput, toLocalInput } from '../blog/local-time.ts';

/** `2027-01-01T08:00:30`, for an ISO 8601 time: what a date-and-time control with seconds takes, in the visitor's time zone. */
export function toLocalSeconds(iso: string): string {
  return `${toLocalInput(iso)}:${String(new Date(iso).getSeconds()).padStart(2, '0')}`;
}

/** ISO 8601, UTC, of the end of the second that stands in the control, so that what happened within it has happened; null where that is no time. */
export function fromLocalSeconds(text: string): string | null {
  const at = fromLocalInput(text);
  return at === null ? null : new Date(Date.parse(at) + 999).toISOString();
}
