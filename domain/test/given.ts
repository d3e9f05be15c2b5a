import { expect } from 'vitest';
import type { Aggregate, Decision, DecisionContext } from '../src/aggregate.ts';
import type { ErrorCode } from '../src/error-catalogue.ts';

type AnyEvent = { readonly type: string; readonly data: unknown };

/** A test event with an explicit time. */
export interface Dated<Event> {
  readonly at: string;
  readonly event: Event;
}

/** The time of all test events that have no explicit time. */
export const AT = '2026-01-01T12:00:00.000Z';

/** A test context for decisions that depend on neither the time nor new ids. */
export const CONTEXT: DecisionContext = { now: AT, newId: () => 'new-id' };

/**
 * Starts a test case in which the given events have happened to an aggregate, such as one ad. Usage:
 * `given(listing)(events).when((state, context) => …).then(events)` or `.thenThrows(code, parameters?)`.
 */
export function givenAggregate<State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>) {
  return (...history: readonly (Event | Dated<Event>)[]) => {
    const state = history.reduce<State>(
      (folded, one) =>
        'event' in one ? aggregate.evolve(folded, one.event, one.at) : aggregate.evolve(folded, one, AT),
      aggregate.initial,
    );
    return {
      state,
      when(decide: Decision<State, Event>) {
        return {
          then: (...expected: readonly Event[]) => expect(decide(state, CONTEXT)).toEqual(expected),
          thenThrows: (code: ErrorCode, more: Record<string, unknown> = {}) => {
            expect(() => decide(state, CONTEXT)).toThrow(
              expect.objectContaining({ name: 'DomainError', code, ...more }),
            );
          },
        };
      },
    };
  };
}
