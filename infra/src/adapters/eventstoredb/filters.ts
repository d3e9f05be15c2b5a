import { eventTypeFilter, excludeSystemEvents, type Filter } from '@eventstore/db-client';

/** How many events the server looks at for one page of a filtered subscription, and how often it then says how far it has come. */
const SEARCH = { maxSearchWindow: 500, checkpointInterval: 1 } as const;
/** What means something in a .NET regular expression, which is what the server has. */
const SPECIAL = /[\\*+?|{}[\]()^$.#\s-]/gu;

/** What the server delivers to a subscription: these types and no others, or all but its own events. */
export function filterFor(types: readonly string[] | undefined): Filter {
  return types ? eventTypeFilter({ ...SEARCH, regex: exactly(types) }) : excludeSystemEvents(SEARCH);
}

/** A regular expression that one of these texts matches as a whole. A list of prefixes would also let in types that merely begin like one. */
export function exactly(texts: readonly string[]): string {
  return `^(?:${texts.map((text) => text.replace(SPECIAL, String.raw`\$&`)).join('|')})$`;
}
