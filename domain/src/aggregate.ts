import type { EventDefinition } from './event-definition.ts';

/** What a decider may know of the world: the time (ISO 8601, UTC) and fresh unique ids. */
export interface DecisionContext {
  readonly now: string;
  readonly newId: () => string;
}

/** A consistency boundary: one stream, folded by `evolve` from `initial`. */
export interface Aggregate<State, Event extends { readonly type: string; readonly data: unknown }> {
  readonly name: string;
  readonly initial: State;
  /** `at` is when the event happened, ISO 8601. */
  evolve(state: State, event: Event, at: string): State;
  readonly definitions: readonly EventDefinition[];
}

/** The stream of one aggregate instance, e.g. `listing-4f…`. */
export function streamOf(aggregate: { readonly name: string }, id: string): string {
  return `${aggregate.name}-${id}`;
}
