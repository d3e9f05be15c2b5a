import type { Aggregate } from '../aggregate.ts';
import { personEvents, type PersonEvent } from './events.ts';
import type { ErasureStep } from './steps.ts';

/** An erasure of personal data that is in progress. */
export interface Erasure {
  readonly receiptId: string;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** The completed steps in order, with their times (ISO 8601). */
  readonly completedSteps: readonly { readonly step: ErasureStep; readonly at: string }[];
}

/**
 * The legal hold and the erasure of one account's personal data. Both are possible for open and for closed accounts.
 */
export interface PersonState {
  /** Start of the legal hold, or null if there is no legal hold. */
  readonly heldSince: string | null;
  /** The erasure that is in progress, or null. */
  readonly erasure: Erasure | null;
}

function evolve(state: PersonState, event: PersonEvent, at: string): PersonState {
  switch (event.type) {
    case 'ErasureRequested':
      return { ...state, erasure: { receiptId: event.data.receiptId, requestedAt: at, completedSteps: [] } };
    case 'ErasureStepDone':
      return {
        ...state,
        erasure: state.erasure && {
          ...state.erasure,
          completedSteps: [...state.erasure.completedSteps, { step: event.data.step, at }],
        },
      };
    case 'ErasureCompleted':
      return { ...state, erasure: null };
    case 'LegalHoldSet':
      return { ...state, heldSince: at };
    case 'LegalHoldLifted':
      return { ...state, heldSince: null };
  }
}

export const person: Aggregate<PersonState, PersonEvent> = {
  name: 'person',
  initial: { heldSince: null, erasure: null },
  evolve,
  eventDefinitions: personEvents,
  ignoresPersonalFields: true,
};
