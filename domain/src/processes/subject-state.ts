import { account, hasOwner } from '../account/state.ts';
import { ARTICLE_SLUG } from '../article/fields.ts';
import { article } from '../article/state.ts';
import { toStreamId } from '../aggregate.ts';
import type { ListingState } from '../listing/slot.ts';
import { isAdHidden, isContinued, listing } from '../listing/state.ts';
import { STOCK_OWNER_ID } from '../media/fields.ts';
import { media } from '../media/state.ts';
import type { JudgedSubject } from '../moderation/commands.ts';
import { isConfirmed, isProfileConfirmed, moderationCase } from '../moderation/state.ts';
import { findSubjectPost, toCaseId, toCaseSubject, type Subject } from '../moderation/subject.ts';
import type { AdDirectory } from '../ports/ad-directory.ts';
import type { CommandHandler } from '../ports/command-handler.ts';
import { findPost } from '../thread/post-list.ts';
import { isVisiblePost, thread } from '../thread/state.ts';
import { THREAD_ID } from '../thread/fields.ts';

/** The current state of content that a report or a moderation decision is about. */
export interface SubjectState extends JudgedSubject {
  /** True if everybody can see the content. */
  readonly isVisible: boolean;
  /**
   * True if a report or a hiding rule may hide the content. False after a moderator has approved its current version.
   */
  readonly canBeHidden: boolean;
}

export interface SubjectDependencies {
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly ads: AdDirectory;
}

/**
 * Returns the current state of the content that a report or a decision is about, or null if the content does not exist.
 * A report may identify a profile by the id of its ad, because account ids are not public. In this case, the returned
 * state contains the id of the account.
 */
export async function findSubject(deps: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const find: Readonly<Record<Subject['kind'], typeof findAd>> = {
    ad: findAd,
    media: findMedia,
    account: findAccount,
    thread: findPostSubject,
    post: findPostSubject,
    article: findArticle,
  };
  return find[subject.kind](deps, subject);
}

/**
 * Finds the ad that is up. It may continue the ad of the subject, because its owner can post again before a
 * report is added to its case.
 */
async function findAd({ commands, ads }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const ownerId = await ads.ownerOf(subject.id, { includesDeleted: true });
  if (ownerId === null) return null;
  const { state, revision } = await commands.load(listing, ownerId);
  if (state.ad === null || !isContinued(subject.id, state.ad)) return null;
  return {
    subject,
    ownerId,
    evidence: { stream: toStreamId(listing, ownerId), revision },
    isVisible: !isAdHidden(state.ad),
    canBeHidden: await canAdBeHidden({ commands }, state),
  };
}

/**
 * Checks whether a report or a hiding rule may hide the ad of an account. The ad must be visible, and no moderator may
 * have confirmed its current content in the moderation case of this ad.
 */
async function canAdBeHidden({ commands }: Pick<SubjectDependencies, 'commands'>, { ad }: ListingState) {
  if (ad === null || isAdHidden(ad)) return false;
  const { state } = await commands.load(moderationCase, toCaseId({ kind: 'ad', id: ad.adId }));
  return !isConfirmed(state, ad.contentRevision);
}

/**
 * Finds a reported photo or video. The moderation case hides the file itself, and the ad that shows it. A report does
 * not hide a file if a moderator has confirmed the file, or the ad that shows it. Stock pictures cannot be reported,
 * because they belong to the site.
 */
async function findMedia({ commands }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const { state, revision } = await commands.load(media, subject.id);
  if (state?.status !== 'ready' || state.ownerId === STOCK_OWNER_ID) return null;
  const { ownerId } = state;
  const { state: slot } = await commands.load(listing, ownerId);
  const isShown = slot.ad !== null && (slot.ad.photos.includes(subject.id) || slot.ad.video === subject.id);
  const { state: opened } = await commands.load(moderationCase, toCaseId(subject));
  const isInConfirmedAd = isShown && !isAdHidden(slot.ad) && !(await canAdBeHidden({ commands }, slot));
  return {
    subject,
    ownerId,
    evidence: { stream: toStreamId(media, subject.id), revision },
    isVisible: true,
    // The file itself never changes, so every decision about it is about its current content.
    canBeHidden: !isConfirmed(opened, 0) && !isInConfirmedAd,
  };
}

/**
 * Finds a reported profile. An account without an owner has no public profile. Without this condition, a person who
 * signs up with an address would learn from the response whether the new account is a stand-in account.
 */
async function findAccount({ commands, ads }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const isAccount = async (id: string) => (await commands.load(account, id)).state?.userType === 'provider';
  const accountId = (await isAccount(subject.id)) ? subject.id : await ads.ownerOf(subject.id);
  if (accountId === null) return null;
  const { state, revision } = await commands.load(account, accountId);
  if (!state || !hasOwner(state)) return null;
  const { state: slot } = await commands.load(listing, accountId);
  const profile: Subject = { kind: 'account', id: accountId };
  const { state: opened } = await commands.load(moderationCase, toCaseId(profile));
  return {
    subject: profile,
    ownerId: accountId,
    evidence: { stream: toStreamId(account, accountId), revision },
    isVisible: true,
    // A profile is hidden together with the ad that shows it, so a confirmed ad protects the profile, too.
    canBeHidden: !isProfileConfirmed(opened, state.profileChangedAt) && (await canAdBeHidden({ commands }, slot)),
  };
}

async function findPostSubject({ commands }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const post = findSubjectPost(subject);
  if (!post || !THREAD_ID.test(post.threadId)) return null;
  const { state, revision } = await commands.load(thread, post.threadId);
  const found = state && findPost(state.posts, post.number);
  if (!found || found.status === 'deleted') return null;
  const isVisible = isVisiblePost(post.number, state);
  const { state: opened } = await commands.load(moderationCase, toCaseId(subject));
  return {
    subject: toCaseSubject(subject),
    ownerId: found.accountId,
    evidence: { stream: toStreamId(thread, post.threadId), revision },
    isVisible,
    canBeHidden: isVisible && !isConfirmed(opened, found.contentRevision),
  };
}

/**
 * Finds a published article that was reported. A report cannot hide an article, because the operator writes the
 * articles.
 */
async function findArticle({ commands }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  if (!ARTICLE_SLUG.test(subject.id)) return null;
  const { state, revision } = await commands.load(article, subject.id);
  if (state?.status !== 'published') return null;
  return {
    subject,
    ownerId: null,
    evidence: { stream: toStreamId(article, subject.id), revision },
    isVisible: true,
    canBeHidden: false,
  };
}
