import { expect } from 'vitest';
import type { Aggregate } from '../src/aggregate.ts';
import type { ErrorCode } from '../src/errors.ts';

type AnyEvent = { readonly type: string; readonly data: unknown };

/** An event that happened at some other time than the rest. */
export interface Dated<Event> {
  readonly at: string;
  readonly event: Event;
}

/** `given(listing)(events).when(state => …).then(events)` / `.thenRefused(code, parameters?)`. Events happen at `AT` unless dated. */
export const AT = '2026-01-01T12:00:00.000Z';

export function given<State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>) {
  return (...history: readonly (Event | Dated<Event>)[]) => {
    const state = history.reduce<State>(
      (folded, one) =>
        'event' in one ? aggregate.evolve(folded, one.event, one.at) : aggregate.evolve(folded, one, AT),
      aggregate.initial,
    );
    return {
      state,
      when(decide: (state: State) => readonly Event[]) {
        return {
          then: (...expected: readonly Event[]) => expect(decide(state)).toEqual(expected),
          thenRefused: (code: ErrorCode, more: Record<string, unknown> = {}) => {
            expect(() => decide(state)).toThrow(expect.objectContaining({ name: 'DomainError', code, ...more }));
          },
        };
      },
    };
  };
}
