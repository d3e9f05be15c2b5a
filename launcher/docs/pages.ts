import { createEventsPage } from './events-page.ts';
import { createMetricsPage } from './metrics-page.ts';

/** The generated documents: functions that return their text, by the path in the repository. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/events-and-read-models.md': createEventsPage,
  'docs/metrics.md': createMetricsPage,
};
