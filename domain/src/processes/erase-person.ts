import { finishErasureStep, findNextErasureStep } from '../person/decide.ts';
import { person, type Erasure } from '../person/state.ts';
import type { ErasureStep } from '../person/steps.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/**
 * Returns the next step of an erasure of personal data, with the command that records the completion of this step.
 * Returns null if all steps are done.
 */
export function nextStepOf(
  erasure: Erasure,
  accountId: string,
): { readonly step: ErasureStep; readonly finish: ProcessCommand } | null {
  const step = findNextErasureStep(erasure);
  if (!step) return null;
  return {
    step,
    finish: processCommand(person, accountId, (state, context) =>
      finishErasureStep({ step, accountId }, state, context),
    ),
  };
}
