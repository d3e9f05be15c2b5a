import type { Period } from './api.ts';

const DAY_ms = 24 * 60 * 60_000;
const DAY = /^\d{4}-\d\d-\d\d$/u;

export const PERIODS = ['month', 'lastMonth', 'year'] as const;

const dayOf = (time_ms: number) => new Date(time_ms).toISOString().slice(0, 10);

/**
 * Returns the period with this name: the current month, the previous month, or the last 365 days. The days are in UTC.
 */
export function getNamedPeriod(name: (typeof PERIODS)[number], now_ms: number): Period {
  const now = new Date(now_ms);
  const monthAt = (offset: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
  switch (name) {
    case 'month':
      return { from: dayOf(monthAt(0)), to: dayOf(now_ms) };
    case 'lastMonth':
      return { from: dayOf(monthAt(-1)), to: dayOf(monthAt(0) - DAY_ms) };
    case 'year':
      return { from: dayOf(now_ms - 364 * DAY_ms), to: dayOf(now_ms) };
  }
}

/** Returns the period in the URL. The default is the last 30 days. */
export function readPeriod(search: URLSearchParams, now_ms: number): Period {
  const dayIn = (name: string) => {
    const day = search.get(name) ?? '';
    return DAY.test(day) ? day : null;
  };
  return { from: dayIn('from') ?? dayOf(now_ms - 29 * DAY_ms), to: dayIn('to') ?? dayOf(now_ms) };
}
