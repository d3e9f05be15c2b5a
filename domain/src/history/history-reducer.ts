import type { RecordedDomainEvent } from '../events.ts';
import type { FieldChange } from './changes.ts';

/**
 * Computes the history of an entity, such as one ad, from its events. The history consists of the state after each
 * event, and the fields that each event has changed.
 */
export interface HistoryReducer<State> {
  /** The state of the entity before its first event. */
  readonly initial: State;
  evolve(state: State, event: RecordedDomainEvent): State;
  /**
   * Returns the fields that differ between two states, for display in the history. The result never contains secrets.
   */
  findChanges(before: State, after: State): readonly FieldChange[];
}

/** An event in a history, with the states of the entity before and after the event. */
export interface HistoryStep<State> {
  /** If `unreadable` is set, the event lacks its personal fields. */
  readonly event: RecordedDomainEvent;
  readonly before: State;
  readonly after: State;
  /** The reason why the personal data of the event cannot be decrypted. Absent if the event is complete. */
  readonly unreadable?: string;
}

/**
 * The names of the event fields that the history shows in addition to the changed fields. None of these fields contains
 * a secret.
 */
const DETAILS = ['reason', 'by', 'caseId', 'ruleId', 'role', 'number', 'quotedNumber', 'reviewId', 'step'] as const;

/** Returns the event data that the history shows in addition to the changed fields, e.g. the reason of an admin. */
export function extractDetails({
  data,
}: RecordedDomainEvent): readonly { readonly name: (typeof DETAILS)[number]; readonly value: string | number }[] {
  const fields = data as Readonly<Record<string, unknown>>;
  return DETAILS.flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' || typeof value === 'number' ? [{ name, value }] : [];
  });
}
