import type { Recorded } from '../events.ts';
import type { Change } from './changes.ts';

/** How a thing is told from its events: what it was after each of them, and what each has changed. */
export interface Telling<State> {
  /** Before its first event. */
  readonly initial: State;
  evolve(state: State, event: Recorded): State;
  /** What differs between two states, field by field, in words of the audit view: never a secret. */
  changes(before: State, after: State): readonly Change[];
}

/** An event with what was before and after it. */
export interface Told<State> {
  readonly event: Recorded;
  readonly before: State;
  readonly after: State;
}

/**
 * The state of a thing at a moment: that of its events up to the first one after the moment. Events are told in the order of their stream,
 * so that a clock which went backwards makes none of them undone.
 * @param at ISO 8601, UTC
 */
export function asOf<State>(telling: Telling<State>, events: Iterable<Recorded>, at: string): State {
  let state = telling.initial;
  for (const event of events) {
    if (event.meta.at > at) break;
    state = telling.evolve(state, event);
  }
  return state;
}

/** Data of events that says more than which fields have changed, and is no secret. */
const DETAILS = ['reason', 'by', 'caseId', 'ruleId', 'role', 'number', 'quotedNumber', 'reviewId', 'step'] as const;

/** What an event says beyond the fields it changes, such as an admin's reason. */
export function detailsOf({
  data,
}: Recorded): readonly { readonly name: (typeof DETAILS)[number]; readonly value: string | number }[] {
  const said = data as Readonly<Record<string, unknown>>;
  return DETAILS.flatMap((name) => {
    const value = said[name];
    return typeof value === 'string' || typeof value === 'number' ? [{ name, value }] : [];
  });
}
