import type { PageSource } from './page-source.ts';

/** The time in which the same warning is logged once. */
const INTERVAL_ms = 10_000;
const MAX_WARNINGS = 100;

/**
 * Creates a function that logs warnings about errors. A warning with the same text and error is logged once in 10 s, so
 * that a flood of requests does not become a flood of log entries. The next entry has the number of omitted ones.
 */
export function createRareWarnings(log: PageSource['log']) {
  const logged = new Map<string, { readonly at_ms: number; omitted: number }>();
  return (fields: { readonly err: unknown } & Readonly<Record<string, unknown>>, text: string): void => {
    const { err, ...others } = fields;
    const key = JSON.stringify([text, others, err instanceof Error ? err.message : String(err)]);
    const last = logged.get(key);
    const now_ms = performance.now();
    if (last && now_ms - last.at_ms < INTERVAL_ms) {
      last.omitted += 1;
      return;
    }
    if (logged.size >= MAX_WARNINGS) logged.clear();
    logged.set(key, { at_ms: now_ms, omitted: 0 });
    log.warn({ ...fields, ...(last && last.omitted > 0 && { omitted: last.omitted }) }, text);
  };
}
