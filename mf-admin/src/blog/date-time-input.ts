/**
 * Converts times for inputs of the type `datetime-local`. The value of this input has no time zone. The browser
 * interprets it in the visitor's time zone.
 */

const padTwo = (number: number) => String(number).padStart(2, '0');

/** Converts an ISO 8601 time to the value of a `datetime-local` input, such as `2027-01-01T08:00`. */
export function toDateTimeInput(iso: string): string {
  const at = new Date(iso);
  const date = `${at.getFullYear()}-${padTwo(at.getMonth() + 1)}-${padTwo(at.getDate())}`;
  return `${date}T${padTwo(at.getHours())}:${padTwo(at.getMinutes())}`;
}

/** Converts the value of a `datetime-local` input to ISO 8601 in UTC. Returns null for an invalid time. */
export function parseDateTimeInput(text: string): string | null {
  const at = new Date(text);
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** Returns the next full hour that is at least half an hour away. The schedule dialog suggests this time. */
export function getNextFullHour(now_ms: number): string {
  const HOUR_ms = 3_600_000;
  return new Date(Math.ceil((now_ms + HOUR_ms / 2) / HOUR_ms) * HOUR_ms).toISOString();
}

/** Returns the name of the visitor's time zone, such as `Europe/Zurich`. */
export const getTimeZoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ');
