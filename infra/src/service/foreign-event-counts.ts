/**
 * The maximum number of types that are counted separately. Another application may have any number of types, and each
 * one becomes a value of a metric.
 */
const MAX_TYPES = 100;
const MAX_TYPE_characters = 100;
/** The name under which the events of all further types are counted. */
const OTHER_TYPES = 'other types';

/** Creates the numbers of events of other applications in a shared event store, by type (decision 0113). */
export function createForeignEventCounts() {
  const counts = new Map<string, number>();
  return {
    count(type: string): void {
      const name = type.slice(0, MAX_TYPE_characters);
      const key = counts.has(name) || counts.size < MAX_TYPES ? name : OTHER_TYPES;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    /** Returns the numbers since the start of the process. */
    read: (): Readonly<Record<string, number>> => Object.fromEntries(counts),
  };
}
