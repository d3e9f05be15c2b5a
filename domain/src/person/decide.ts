import { DomainError } from '../errors.ts';
import type { PersonEvent } from './events.ts';
import type { PersonState } from './state.ts';
import { ERASURE_STEPS, type ErasureStep } from './steps.ts';

export interface RequestErasure {
  readonly accountId: string;
  /** Hard to guess: it shows how far the erasure is, without a sign-in. */
  readonly receiptId: string;
  readonly by: 'self' | 'admin';
  /** An admin's; null where the person asks. */
  readonly reason: string | null;
}

/** Begins to erase somebody. One that is under way goes on under its own receipt. Refuses with LEGAL_HOLD. */
export function requestErasure(command: RequestErasure, { heldSince, erasure }: PersonState): readonly PersonEvent[] {
  if (heldSince !== null) throw new DomainError('LEGAL_HOLD');
  return erasure ? [] : [{ type: 'ErasureRequested', data: command }];
}

/** Notes that a step is done, after the last one that the erasure is complete. Nothing happens when it is not this step's turn: another process was first. */
export function finishErasureStep(
  step: ErasureStep,
  accountId: string,
  { erasure }: PersonState,
): readonly PersonEvent[] {
  if (!erasure || nextErasureStep(erasure) !== step) return [];
  const of = { accountId, receiptId: erasure.receiptId };
  const done: PersonEvent = { type: 'ErasureStepDone', data: { ...of, step } };
  return step === ERASURE_STEPS.at(-1) ? [done, { type: 'ErasureCompleted', data: of }] : [done];
}

/** The step an erasure is at; null when every one is done. */
export function nextErasureStep({ done }: { readonly done: readonly unknown[] }): ErasureStep | null {
  return ERASURE_STEPS[done.length] ?? null;
}

/** Keeps what is held about somebody, whatever they ask. Twice is once. Refuses with ERASURE_UNDER_WAY: what is half gone cannot be kept. */
export function setLegalHold(
  reason: string,
  accountId: string,
  { heldSince, erasure }: PersonState,
): readonly PersonEvent[] {
  if (erasure) throw new DomainError('ERASURE_UNDER_WAY');
  return heldSince === null ? [{ type: 'LegalHoldSet', data: { accountId, reason } }] : [];
}

/** Nothing speaks against an erasure any more. Nothing happens where nothing did. */
export function liftLegalHold(reason: string, accountId: string, { heldSince }: PersonState): readonly PersonEvent[] {
  return heldSince === null ? [] : [{ type: 'LegalHoldLifted', data: { accountId, reason } }];
}
