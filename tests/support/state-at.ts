import type { HistoryReducer, RecordedDomainEvent } from '@alpenglow/domain';

/**
 * Returns the state of an entity at a moment. Events are applied in stream order, up to the first event after that
 * moment. Later events in the stream are ignored, even if a wrong clock gave them an earlier time.
 * @param at ISO 8601, UTC
 */
export function stateAt<State>(
  reducer: HistoryReducer<State>,
  events: Iterable<RecordedDomainEvent>,
  at: string,
): State {
  let state = reducer.initial;
  for (const event of events) {
    if (event.meta.at > at) break;
    state = reducer.evolve(state, event);
  }
  return state;
}
