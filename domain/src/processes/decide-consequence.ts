import type { DecideConsequence } from '../moderation/commands.ts';
import { decideConsequence } from '../moderation/decide.ts';
import { moderationCase } from '../moderation/state.ts';
import { toCaseId } from '../moderation/subject.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/** Returns the command that decides about other content what follows from a moderator's decision. */
export function consequenceCommand(command: DecideConsequence): ProcessCommand {
  return processCommand(moderationCase, toCaseId(command.subject), (current, context) =>
    decideConsequence(command, current, context),
  );
}
