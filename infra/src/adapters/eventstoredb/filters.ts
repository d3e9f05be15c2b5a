import { eventTypeFilter, excludeSystemEvents, streamNameFilter, type Filter } from '@eventstore/db-client';

/**
 * Settings of a filtered subscription. The server searches 500 events at a time, and reports its progress after each
 * such search.
 */
const SEARCH = { maxSearchWindow: 500, checkpointInterval: 1 } as const;
/** Matches the special characters of .NET regular expressions, which the server uses. */
const SPECIAL = /[\\*+?|{}[\]()^$.#\s-]/gu;

/**
 * Returns the filter of a subscription or a read. The server filters by streams or by types, and not by both. With a
 * prefix of streams, it selects the events of these streams, and the caller must filter their types. Otherwise, it
 * selects the events of `types`. If `types` is undefined, it selects all events except the server's own.
 */
export function createFilter(streamPrefix: string, types: readonly string[] | undefined): Filter {
  if (streamPrefix !== '') return streamNameFilter({ ...SEARCH, prefixes: [streamPrefix] });
  return types ? eventTypeFilter({ ...SEARCH, regex: exactMatchPattern(types) }) : excludeSystemEvents(SEARCH);
}

/**
 * Returns a regular expression that matches exactly these texts. The server's filter by prefix is unsuitable, because
 * the prefix `AdPosted` also matches longer names of event types.
 */
export function exactMatchPattern(texts: readonly string[]): string {
  return `^(?:${texts.map((text) => text.replace(SPECIAL, String.raw`\$&`)).join('|')})$`;
}
