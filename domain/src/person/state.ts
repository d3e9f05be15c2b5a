import type { Aggregate } from '../aggregate.ts';
import { personEvents, type PersonEvent } from './events.ts';
import type { ErasureStep } from './steps.ts';

/** An erasure that is under way. */
export interface Erasure {
  readonly receiptId: string;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** What is done, in order, and when (ISO 8601). */
  readonly done: readonly { readonly step: ErasureStep; readonly at: string }[];
}

/** What is to be kept or to go of everything held about the owner of one account, whether or not that is open. */
export interface PersonState {
  /** Since when it is to be kept; null where nothing speaks against an erasure. */
  readonly heldSince: string | null;
  /** Null while nothing is to go, and again once it is gone. */
  readonly erasure: Erasure | null;
}

function evolve(state: PersonState, event: PersonEvent, at: string): PersonState {
  switch (event.type) {
    case 'ErasureRequested':
      return { ...state, erasure: { receiptId: event.data.receiptId, requestedAt: at, done: [] } };
    case 'ErasureStepDone':
      return {
        ...state,
        erasure: state.erasure && { ...state.erasure, done: [...state.erasure.done, { step: event.data.step, at }] },
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
  definitions: personEvents,
};
