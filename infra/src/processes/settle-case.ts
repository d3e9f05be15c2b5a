import {
  account,
  closingOf,
  isContinued,
  isVisiblePost,
  listing,
  moderationCase,
  findPost,
  findSubjectPost,
  settlementOf,
  thread,
  type AccountState,
  type CaseId,
  type HeldContent,
  type ModerationCase,
  type Position,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { endAccount, type EndAccountDependencies } from './end-account.ts';
import { findLastPosition } from './last-position.ts';
import { sendCommand } from './send-command.ts';

/** Maximum number of decisions that one call applies. A job follows each decision, so later ones are applied, too. */
const MAX_DECISIONS = 5;

/**
 * Applies the decision of a moderation case: hides or restores the reported content. Idempotent. A request calls this
 * function at once, and a background job calls it again in case the request was interrupted. Returns the position of
 * the last event of the content, even if the job has written this event. Returns null if there is nothing to hide or
 * restore. If the decision closes an account, `closeDecidedAccount` does this.
 *
 * Several calls may run at the same time, so a slow call may overwrite the result of a newer decision. Therefore, each
 * call reads the case again after its write. If the case has a newer decision, the call applies that one, too.
 */
export async function settleCase(
  commands: CommandHandler,
  caseId: CaseId,
  origin: CommandOrigin,
): Promise<Position | null> {
  let { state } = await commands.load(moderationCase, caseId);
  let position: Position | null = null;
  for (let decisions = 0; state !== null && decisions < MAX_DECISIONS; decisions += 1) {
    const applied: ModerationCase = state;
    const command = settlementOf(applied, await loadOwner(commands, applied));
    if (command) ({ position } = await sendCommand(commands, command, origin));
    ({ state } = await commands.load(moderationCase, caseId));
    if (state !== null && isSameDecision(state, applied)) break;
  }
  return position;
}

const isSameDecision = (one: ModerationCase, other: ModerationCase) =>
  one.decision?.decisionId === other.decision?.decisionId && one.isHidingSubject === other.isHidingSubject;

/**
 * Closes an account if a moderation case has decided this. A request calls this function at once, and a background job
 * calls it again in case the request was interrupted. Idempotent. Returns the position of the last event of the account
 * and its ads, or null if there is no account to close.
 */
export async function closeDecidedAccount(
  deps: EndAccountDependencies,
  caseId: CaseId,
  origin: CommandOrigin,
): Promise<Position | null> {
  const { commands } = deps;
  const { state } = await commands.load(moderationCase, caseId);
  const closing = state && closingOf(state, await loadOwner(commands, state));
  if (!closing) return null;
  const { accountId, reason, registeredBy, releaseAds } = closing;
  const ended = await endAccount(deps, accountId, origin, { reason, registeredBy });
  return findLastPosition([ended, await sendCommand(commands, releaseAds, origin)]);
}

/** Returns true if the content that a moderation case is about is currently hidden from the public. */
export async function isSubjectHidden(
  commands: Pick<CommandHandler, 'load'>,
  { subject, ownerId, isHidingSubject }: Pick<ModerationCase, 'subject' | 'ownerId' | 'isHidingSubject'>,
): Promise<boolean> {
  const post = findSubjectPost(subject);
  if (post) return !isVisiblePost(post.number, (await commands.load(thread, post.threadId)).state);
  if (subject.kind === 'article' || ownerId === null) return false;
  if (subject.kind === 'media') return isHidingSubject;
  const { state } = await commands.load(listing, ownerId);
  return state.ad !== null && state.ad.holdingCaseIds.length > 0;
}

/**
 * Returns the content that becomes visible if the moderation case no longer hides it. For a deleted ad, this
 * may be a later ad of its owner: an ad that the case hides, or an ad that continues the deleted ad. Returns
 * null without such content, and for photos and videos, because they never change.
 */
export async function findHeldContent(
  commands: Pick<CommandHandler, 'load'>,
  { caseId, subject, ownerId, openedAt }: Pick<ModerationCase, 'caseId' | 'subject' | 'ownerId' | 'openedAt'>,
): Promise<HeldContent | null> {
  const post = findSubjectPost(subject);
  if (post) {
    const { state, revision } = await commands.load(thread, post.threadId);
    const found = state && findPost(state.posts, post.number);
    return found && found.status !== 'deleted' ? { contentRevision: found.contentRevision, revision } : null;
  }
  if (subject.kind === 'ad' && ownerId !== null) {
    const { state, revision } = await commands.load(listing, ownerId);
    const { ad } = state;
    const isHeld = ad !== null && (isContinued(subject.id, ad) || ad.holdingCaseIds.includes(caseId));
    return isHeld ? { contentRevision: ad.contentRevision, revision } : null;
  }
  if (subject.kind === 'account') {
    const { state, revision } = await commands.load(account, subject.id);
    // The state of an account contains only the time of the last change. A changed profile therefore counts as changed
    // by the last event of the account, so that the moderator must have read the account after it.
    return state && { contentRevision: state.profileChangedAt > openedAt ? revision : 0, revision };
  }
  return null;
}

async function loadOwner(commands: CommandHandler, { ownerId }: ModerationCase): Promise<AccountState> {
  return ownerId === null ? null : (await commands.load(account, ownerId)).state;
}
