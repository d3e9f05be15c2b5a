import { endRemovalHold, holdForRemoval } from '../moderation/removal-request-holds.ts';
import type { EndRemovalHold, JudgedSubject } from '../moderation/commands.ts';
import { moderationCase } from '../moderation/state.ts';
import { toCaseId, type CaseId } from '../moderation/subject.ts';
import type { CompleteRemoval } from '../removal/commands.ts';
import { completeRemoval } from '../removal/decide.ts';
import { removal } from '../removal/state.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/** Returns the command with which a removal request hides content that it names, and opens its case. */
export function holdForRemovalCommand(
  removalId: string,
  { subject, ownerId, evidence }: JudgedSubject,
  hidesAtOnce: boolean,
): ProcessCommand {
  // A withdrawn article does not come back by itself, so only the pictures of an article are hidden at once.
  const canHide = hidesAtOnce && subject.kind !== 'article';
  return processCommand(moderationCase, toCaseId(subject), (state, context) =>
    holdForRemoval({ removalId, subject, ownerId, evidence, canHide }, state, context),
  );
}

/** Returns the command that ends the effect of a rejected or withdrawn removal request on one case. */
export function endRemovalHoldCommand(caseId: CaseId, command: EndRemovalHold): ProcessCommand {
  return processCommand(moderationCase, caseId, (state, context) => endRemovalHold(command, state, context));
}

/** Returns the command that records that everything of a valid removal request is removed. */
export function completeRemovalCommand(requestId: string, command: CompleteRemoval): ProcessCommand {
  return processCommand(removal, requestId, (state, context) => completeRemoval(command, state, context));
}
