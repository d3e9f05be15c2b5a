/** Times of a date-and-time control, which knows no time zone: they are meant in the visitor's. */

const two = (number: number) => String(number).padStart(2, '0');

/** `2027-01-01T08:00`, for an ISO 8601 time. */
export function toLocalInput(iso: string): string {
  const at = new Date(iso);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** ISO 8601, UTC, of what stands in the control; null where that is no time. */
export function fromLocalInput(text: string): string | null {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** The next full hour, at least half an hour ahead: a time to begin with. */
export function nextFullHour(now_ms: number): string {
  const HOUR_ms = 3_600_000;
  return new Date(Math.ceil((now_ms + HOUR_ms / 2) / HOUR_ms) * HOUR_ms).toISOString();
}

/** What the visitor's time zone is called, e.g. `Europe/Zurich`. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ');
