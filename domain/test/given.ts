import { expect } from 'vitest';
import type { Aggregate, Decider, Decision, DecisionContext } from '../src/aggregate.ts';
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
 * `given(…events).decide(bumpAd, command).then(…events)` or `.thenThrows(code, parameters?)`. A test file with many
 * equal commands passes a function of state and context to `when` instead.
 */
export function givenAggregate<State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>) {
  return (...history: readonly (Event | Dated<Event>)[]) => {
    const state = history.reduce<State>(
      (folded, one) =>
        'event' in one ? aggregate.evolve(folded, one.event, one.at) : aggregate.evolve(folded, one, AT),
      aggregate.initial,
    );
    const when = (decide: Decision<State, Event>, context = CONTEXT) => ({
      then: (...expected: readonly Event[]) => expect(decide(state, context)).toEqual(expected),
      thenThrows: (code: ErrorCode, more: Record<string, unknown> = {}) => {
        expect(() => decide(state, context)).toThrow(expect.objectContaining({ name: 'DomainError', code, ...more }));
      },
    });
    return {
      state,
      when,
      decide: <Command>(
        decider: Decider<Command, State, Event>,
        command: NoInfer<Command>,
        context?: DecisionContext,
      ) => when((current, now) => decider(command, current, now), context),
    };
  };
}
