import {
  consequenceCommand,
  isAdDecidedWithFile,
  isContinued,
  listing,
  media,
  moderationCase,
  toCaseId,
  toStreamId,
  wasShownAt,
  type CaseId,
  type DecideConsequence,
  type ModerationCase,
  type Position,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { findLastPosition } from './last-position.ts';
import { sendCommand } from './send-command.ts';
import { settleCase } from './settle-case.ts';

/**
 * Makes the decision about other content that follows from a moderator's decision, and applies it. An ad whose photo is
 * removed needs a decision about this photo. A photo or video that breaks a rule about the person needs a decision
 * about the ad that shows it. Idempotent. Must be called after a decision, and not after an appeal, which
 * has no such consequence. Must be called before `settleCase`, so that the content is not visible between both. Returns
 * the position of the last written event, or null if nothing follows.
 */
export async function applyConsequence(
  commands: CommandHandler,
  caseId: CaseId,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { state } = await commands.load(moderationCase, caseId);
  const command = state && (await findConsequence(commands, state));
  if (!command) return null;
  const consequenceId = toCaseId(command.subject);
  const decided = await sendCommand(commands, consequenceCommand(command), origin);
  return findLastPosition([decided, { position: await settleCase(commands, consequenceId, origin) }]);
}

async function findConsequence(
  commands: Pick<CommandHandler, 'load'>,
  { subject, ownerId, decision }: ModerationCase,
): Promise<DecideConsequence | null> {
  if (decision === null || decision.moderatorId === null || ownerId === null || decision.isReversed) return null;
  const { moderatorId, rule, facts, at: causedAt, photoId } = decision;
  const same = { moderatorId, rule, facts, ownerId, causedAt };
  if (decision.outcome === 'photo_removed' && photoId !== undefined) {
    const { state, revision } = await commands.load(media, photoId);
    if (state?.status !== 'ready') return null;
    const evidence = { stream: toStreamId(media, photoId), revision };
    return { ...same, subject: { kind: 'media', id: photoId }, outcome: 'removed', wasHidden: false, evidence };
  }
  if (subject.kind !== 'media' || !isAdDecidedWithFile(decision)) return null;
  const { state, revision } = await commands.load(listing, ownerId);
  const { ad, earlierAd } = state;
  if (ad === null || !wasShownAt(subject.id, causedAt, state)) return null;
  // An ad posted after the decision did not show the file. If it continues an earlier ad, that ad counts.
  const shownIn = ad.postedAt <= causedAt ? ad : earlierAd;
  if (shownIn === null || shownIn.postedAt > causedAt || !isContinued(shownIn.adId, ad)) return null;
  if (shownIn !== ad) {
    const { state: known } = await commands.load(moderationCase, toCaseId({ kind: 'ad', id: shownIn.adId }));
    if (known?.isHidingSubject) return null;
  }
  const evidence = { stream: toStreamId(listing, ownerId), revision };
  const wasHidden = ad.holdingCaseIds.length > 0;
  return { ...same, subject: { kind: 'ad', id: shownIn.adId }, outcome: 'hidden', wasHidden, evidence };
}
