import type { AccountState } from '../account/state.ts';
import { toStreamId, type Decision } from '../aggregate.ts';
import { releaseAd } from '../listing/decide.ts';
import type { ListingEvent } from '../listing/events.ts';
import { wasShownAt } from '../listing/holds.ts';
import type { ListingState } from '../listing/slot.ts';
import { isContinued, listing } from '../listing/state.ts';
import { media } from '../media/state.ts';
import type { DecideConsequence } from '../moderation/commands.ts';
import { decideConsequence } from '../moderation/decide.ts';
import { isAdDecidedWithFile } from '../moderation/hidden-with-file.ts';
import { moderationCase, type CaseState, type ModerationCase } from '../moderation/state.ts';
import { toCaseId, type CaseId } from '../moderation/subject.ts';
import type { CommandHandler, CommandOrigin, CommandResult } from '../ports/command-handler.ts';
import { findLastPosition, type Position } from '../ports/event-store.ts';
import { endAccount, type EndAccountDependencies } from './end-account.ts';
import { isRegisteredAfter, loadOwner, settleCase } from './settle-case.ts';

/**
 * Applies a decision, after `CaseDecided` and `AppealDecided`: decides the cases of other content that the decision
 * covers, hides or restores the content, and closes the account if the decision requires it. The request that
 * decides calls this function at once, and the job `settle-case` again, in case the request was interrupted.
 * Idempotent. Returns the position of the last event, or null if nothing was to be done.
 * @param decidesConsequence false to leave out the decision about other content: after an appeal, for a decision from
 * the past, and while personal data cannot be decrypted
 */
export async function carryOutDecision(
  deps: EndAccountDependencies,
  caseId: CaseId,
  { decidesConsequence }: { readonly decidesConsequence: boolean },
  origin: CommandOrigin,
): Promise<Position | null> {
  const { commands } = deps;
  return findLastPosition([
    // The consequence comes first, so that the content is not visible between both steps.
    { position: decidesConsequence ? await applyConsequence(commands, caseId, origin) : null },
    { position: await settleCase(commands, caseId, origin) },
    { position: await closeDecidedAccount(deps, caseId, origin) },
  ]);
}

/**
 * Makes the decision about other content that follows from a moderator's decision, and applies it. An ad whose photo is
 * removed needs a decision about this photo. A photo or video that breaks a rule about the person needs a decision
 * about the ad that shows it. Idempotent. Returns the position of the last written event, or null if
 * nothing follows.
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
  const decided = await decideAsConsequence(commands, command, origin);
  return findLastPosition([decided, { position: await settleCase(commands, consequenceId, origin) }]);
}

/** Decides about content because of a moderator's decision about other content. */
export function decideAsConsequence(
  commands: CommandHandler,
  command: DecideConsequence,
  origin: CommandOrigin,
): Promise<CommandResult<CaseState>> {
  return commands.execute(moderationCase, toCaseId(command.subject), decideConsequence, command, origin);
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

/**
 * Closes an account if a moderation case has decided this. Idempotent. Returns the position of the last event of the
 * account and its ads, or null if there is no account to close.
 */
async function closeDecidedAccount(
  deps: EndAccountDependencies,
  caseId: CaseId,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { commands } = deps;
  const { state } = await commands.load(moderationCase, caseId);
  const closing = state && closingOf(state, await loadOwner(commands, state));
  if (!closing) return null;
  const { accountId, ...options } = closing;
  const ended = await endAccount(deps, accountId, origin, options);
  // A later account with the same e-mail address has the same id, so the case must not hide its ads.
  const release: Decision<ListingState, ListingEvent> = (slot, context) =>
    slot.ad ? [] : releaseAd({ caseId, accountId }, slot, context);
  return findLastPosition([ended, await commands.handle(listing, accountId, release, origin)]);
}

/**
 * Returns the account that a moderation decision closes, with the options of its closing, or null. `owner` is the
 * current account with the owner's id. If this account was registered after the decision, it belongs to another person,
 * so it stays open.
 */
function closingOf({ ownerId, decision, isHidingSubject }: ModerationCase, owner: AccountState) {
  // The account stays open if an appeal against its closing was granted. `isHidingSubject` is then false.
  if (decision?.outcome !== 'account_closed' || !isHidingSubject || ownerId === null) return null;
  if (isRegisteredAfter(owner, decision.at)) return null;
  return { accountId: ownerId, reason: decision.facts, registeredBy: decision.at };
}
