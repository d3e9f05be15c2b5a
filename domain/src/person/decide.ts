import type { Decider } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import type { FinishErasureStep, LiftLegalHold, RequestErasure, SetLegalHold } from './commands.ts';
import type { PersonEvent } from './events.ts';
import type { PersonState } from './state.ts';
import { ERASURE_STEPS, type ErasureStep } from './steps.ts';

/**
 * Begins the erasure of all personal data of an account. A repeated request changes nothing, so the receipt of the
 * first request remains valid. Throws LEGAL_HOLD if a legal hold forbids the erasure.
 */
export const requestErasure: Decider<RequestErasure, PersonState, PersonEvent> = (command, { heldSince, erasure }) => {
  if (heldSince !== null) throw new DomainError('LEGAL_HOLD');
  return erasure ? [] : [{ type: 'ErasureRequested', data: command }];
};

/**
 * Records a completed step of an erasure. After the last step, it also records the end of the erasure. Does nothing if
 * this step is not the next one, because another process has then already recorded it.
 */
export const finishErasureStep: Decider<FinishErasureStep, PersonState, PersonEvent> = (
  { step, accountId },
  { erasure },
) => {
  if (!erasure || findNextErasureStep(erasure) !== step) return [];
  const ids = { accountId, receiptId: erasure.receiptId };
  const done: PersonEvent = { type: 'ErasureStepDone', data: { ...ids, step } };
  return step === ERASURE_STEPS.at(-1) ? [done, { type: 'ErasureCompleted', data: ids }] : [done];
};

/** Returns the next step of an erasure of personal data. Returns null if all steps are done. */
export function findNextErasureStep({
  completedSteps,
}: {
  readonly completedSteps: readonly unknown[];
}): ErasureStep | null {
  return ERASURE_STEPS[completedSteps.length] ?? null;
}

/**
 * Sets a legal hold on the data of a person, which forbids an erasure. Idempotent. Throws ERASURE_UNDER_WAY during an
 * erasure, because a partial erasure cannot be undone.
 */
export const setLegalHold: Decider<SetLegalHold, PersonState, PersonEvent> = (
  { reason, accountId },
  { heldSince, erasure },
) => {
  if (erasure) throw new DomainError('ERASURE_UNDER_WAY');
  return heldSince === null ? [{ type: 'LegalHoldSet', data: { accountId, reason } }] : [];
};

/**
 * Lifts the legal hold on the data of a person, so that an erasure is possible again. Does nothing if there is no legal
 * hold.
 */
export const liftLegalHold: Decider<LiftLegalHold, PersonState, PersonEvent> = (
  { reason, accountId },
  { heldSince },
) => {
  return heldSince === null ? [] : [{ type: 'LegalHoldLifted', data: { accountId, reason } }];
};
