import { eventTypeFilter, excludeSystemEvents, type Filter } from '@eventstore/db-client';

/** The server searches 500 events for one page of a filtered subscription, and reports its progress after each page. */
const SEARCH = { maxSearchWindow: 500, checkpointInterval: 1 } as const;
/** Matches the special characters of .NET regular expressions, which the server uses. */
const SPECIAL = /[\\*+?|{}[\]()^$.#\s-]/gu;

/** Returns the filter of a subscription. It selects only `types`, or all events except the server's own. */
export function createTypeFilter(types: readonly string[] | undefined): Filter {
  return types ? eventTypeFilter({ ...SEARCH, regex: exactMatchPattern(types) }) : excludeSystemEvents(SEARCH);
}

/**
 * Returns a regular expression that matches exactly these texts. The server's filter by prefix is not used, because it
 * also matches longer type names.
 */
export function exactMatchPattern(texts: readonly string[]): string {
  return `^(?:${texts.map((text) => text.replace(SPECIAL, String.raw`\$&`)).join('|')})$`;
}
