import { uniteDigests } from '../media/picture-digest.ts';
import { NO_PICTURE_FEATURES } from '../media/picture-hash.ts';
import { media } from '../media/state.ts';
import type { HouseRule } from '../moderation/rules.ts';
import { moderationCase, type ModerationCase } from '../moderation/state.ts';
import type { CaseId } from '../moderation/subject.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import { releasePicture, takePictureDown } from '../taken-down/decide.ts';
import { takenDownPicture } from '../taken-down/state.ts';
import { processCommand, sendCommand, type ProcessCommand } from './process-command.ts';

/**
 * The rules whose violation makes every copy of a picture unacceptable. A picture that breaks another rule, e.g.
 * because it contains a phone number, can be edited and uploaded again.
 */
const RULES_OF_COPIES: readonly string[] = [
  'under_age',
  'forced',
  'consent',
  'stolen',
  'illegal',
] satisfies readonly HouseRule[];

/**
 * Checks whether a moderation case takes its photo or video down, so that copies of it must not be published: a
 * moderator has removed it because of a rule that applies to every copy.
 */
export function isTakingDown({ subject, decision, isHidingSubject }: ModerationCase): boolean {
  if (subject.kind !== 'media' || decision === null) return false;
  const isRemoved = decision.outcome === 'removed' || decision.outcome === 'account_closed';
  return isHidingSubject && isRemoved && RULES_OF_COPIES.includes(decision.rule);
}

/**
 * Returns the command that adds the photo or video of a moderation case to the pictures that were taken down, or
 * removes it after the decision was reversed. `hash` is the perceptual hash of the photo, and `digests` are
 * the exact digests of the file. Returns null if the case is not about a file, and if there is nothing to recognize
 * copies by.
 */
function takenDownCommand(
  found: ModerationCase,
  hash: string | null,
  digests: readonly string[],
): ProcessCommand | null {
  const { caseId, subject, decision } = found;
  if (subject.kind !== 'media' || decision === null) return null;
  const { id: pictureId } = subject;
  if (!isTakingDown(found))
    return processCommand(takenDownPicture, pictureId, (state, context) =>
      releasePicture({ reference: caseId }, state, context),
    );
  const command = { pictureId, hash: hash ?? NO_PICTURE_FEATURES, reference: caseId };
  if (command.hash === NO_PICTURE_FEATURES && digests.length === 0) return null;
  return processCommand(takenDownPicture, pictureId, (state, context) =>
    takePictureDown({ ...command, ...(digests.length > 0 && { digests }) }, state, context),
  );
}

/**
 * Adds the photo or video of a moderation case to the pictures that were taken down, if its decision requires this, or
 * removes it after the decision was reversed. `storedDigests` are further digests of its files. Idempotent.
 */
export async function takePictureOfCaseDown(
  commands: CommandHandler,
  caseId: CaseId,
  origin: CommandOrigin,
  storedDigests: readonly string[] = [],
): Promise<void> {
  const { state } = await commands.load(moderationCase, caseId);
  if (state?.subject.kind !== 'media') return;
  const { state: file } = await commands.load(media, state.subject.id);
  const hash = file?.kind === 'photo' && file.status === 'ready' ? file.hash : null;
  const recorded = file?.status === 'ready' ? file.digests : [];
  const command = takenDownCommand(state, hash, uniteDigests(recorded, storedDigests));
  if (command) await sendCommand(commands, command, origin);
}
