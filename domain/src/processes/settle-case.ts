import { account, type AccountState } from '../account/state.ts';
import { withdrawArticle } from '../article/decide.ts';
import { article } from '../article/state.ts';
import { hideAd, releaseAd } from '../listing/decide.ts';
import { wasShownAt } from '../listing/holds.ts';
import { listing } from '../listing/state.ts';
import { isAdHiddenWithFile } from '../moderation/hidden-with-file.ts';
import { moderationCase, type ModerationCase } from '../moderation/state.ts';
import { findSubjectPost, type CaseId } from '../moderation/subject.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import type { Position } from '../ports/event-store.ts';
import { hidePost, restorePost } from '../thread/decide.ts';
import { findPost } from '../thread/post-list.ts';
import { thread } from '../thread/state.ts';
import { processCommand, sendCommand, type ProcessCommand } from './process-command.ts';

/** Maximum number of decisions that one call applies. A job follows each decision, so later ones are applied, too. */
const MAX_DECISIONS = 5;

/**
 * Applies the decision of a moderation case: hides or restores the reported content. Idempotent. Returns the
 * position of the last event of the content, even if another call has written this event. Returns null if there is
 * nothing to hide or restore.
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

/** Returns the current account with the id of the content's owner. It may belong to another person than before. */
export async function loadOwner(
  commands: Pick<CommandHandler, 'load'>,
  { ownerId }: ModerationCase,
): Promise<AccountState> {
  return ownerId === null ? null : (await commands.load(account, ownerId)).state;
}

/**
 * Returns the command that carries out a moderation decision by hiding or restoring the content. The command does
 * nothing if the content is already in the required state. Returns null if no command is needed. `owner` is the current
 * account with the owner's id, which may belong to another person than at the time of the decision.
 */
export function settlementOf(decided: ModerationCase, owner: AccountState): ProcessCommand | null {
  if (decided.decision === null) return null;
  switch (decided.subject.kind) {
    case 'ad':
    case 'media':
    case 'account':
      return settlementOfAd(decided, owner);
    case 'thread':
    case 'post':
      return settlementOfPost(decided);
    case 'article':
      return settlementOfArticle(decided);
  }
}

/**
 * Returns the command that hides or restores the ad of a moderation case. If the case is about a photo, a video or a
 * profile, this is the current ad of the account. Returns null if the case has no owner, or if its decision closed an
 * account and a person later signed up again with the same e-mail address.
 *
 * A decision about a photo or video hides only this file, and the ad stays visible without it. The ad is
 * hidden only while `isAdHiddenWithFile` returns true, and only if the account showed the file at the time of the
 * decision. The result is therefore the same whether the job of the decision runs before or after such an ad is posted.
 */
function settlementOfAd(
  { caseId, subject, ownerId, isHidingSubject, decision }: ModerationCase,
  owner: AccountState,
): ProcessCommand | null {
  if (ownerId === null) return null;
  const isClosing = isHidingSubject && decision?.outcome === 'account_closed';
  // A closed account has no ad.
  if (isClosing && (owner === null || isRegisteredAfter(owner, decision.at))) return null;
  const adId = subject.kind === 'ad' ? subject.id : null;
  return processCommand(listing, ownerId, (state, context) => {
    const isFileOnly = subject.kind === 'media' && decision !== null && !isAdHiddenWithFile(decision);
    if (!isHidingSubject || isFileOnly) return releaseAd({ caseId, accountId: ownerId }, state, context);
    if (subject.kind === 'media' && decision !== null && !wasShownAt(subject.id, decision.at, state)) return [];
    return hideAd({ adId, by: hiddenBy(decision), caseId, accountId: ownerId }, state, context);
  });
}

function settlementOfPost({ subject, isHidingSubject, decision }: ModerationCase): ProcessCommand | null {
  const post = findSubjectPost(subject);
  if (!post) return null;
  const { threadId, number } = post;
  return processCommand(thread, threadId, (state, context) => {
    const status = state && findPost(state.posts, number)?.status;
    // The author may have deleted the post in the meantime, so there is nothing to hide or restore.
    if (!status || status === 'deleted') return [];
    if (!isHidingSubject) return restorePost({ number }, state, context);
    return hidePost(
      {
        number,
        by: decision?.isAutomated ? 'report' : 'moderator',
        reason: decision?.isAutomated ? null : (decision?.facts ?? null),
      },
      state,
      context,
    );
  });
}

function settlementOfArticle({ subject, isHidingSubject, decision }: ModerationCase): ProcessCommand {
  return processCommand(article, subject.id, (state, context) =>
    isHidingSubject && state?.status === 'published'
      ? withdrawArticle({ reason: decision?.facts ?? null }, state, context)
      : [],
  );
}

function hiddenBy(decision: ModerationCase['decision']): 'report' | 'moderator' | 'rule' {
  if (!decision?.isAutomated) return 'moderator';
  return decision.hidingRuleId === null ? 'report' : 'rule';
}

/**
 * Checks whether the account was registered after `at`, the time of a decision (ISO 8601). The decision then concerns
 * an earlier account with the same id.
 */
export function isRegisteredAfter(owner: AccountState, at: string): boolean {
  return owner !== null && owner.registeredAt > at;
}
