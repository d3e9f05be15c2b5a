import { account } from '../account/state.ts';
import { isContinued, listing } from '../listing/state.ts';
import type { HeldContent } from '../moderation/commands.ts';
import type { ModerationCase } from '../moderation/state.ts';
import { findSubjectPost } from '../moderation/subject.ts';
import type { CommandHandler } from '../ports/command-handler.ts';
import { findPost } from '../thread/post-list.ts';
import { isVisiblePost, thread } from '../thread/state.ts';

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
