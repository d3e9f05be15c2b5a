import {
  account,
  article,
  ARTICLE_SLUG,
  canAdBeHidden,
  toCaseSubject,
  STOCK_OWNER_ID,
  isAdHidden,
  isVisiblePost,
  listing,
  media,
  findPost,
  findSubjectPost,
  toStreamId,
  thread,
  THREAD_ID,
  type Subject,
  type SubjectState,
  isStandIn,
} from '@alpenglow/domain';
import type { AdDirectory } from '../adapters/postgres/ad-directory.ts';
import type { CommandHandler } from '../service/command-handler.ts';

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

async function findAd({ commands, ads }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const ownerId = await ads.ownerOf(subject.id);
  if (ownerId === null) return null;
  const { state, revision } = await commands.load(listing, ownerId);
  if (state.ad?.adId !== subject.id) return null;
  return {
    subject,
    ownerId,
    evidence: { stream: toStreamId(listing, ownerId), revision },
    isVisible: !isAdHidden(state.ad),
    canBeHidden: canAdBeHidden(state),
  };
}

/**
 * Finds a reported photo or video. If it must be hidden, the ad that shows it is hidden. Stock pictures cannot be
 * reported, because they belong to the site.
 */
async function findMedia({ commands }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const { state, revision } = await commands.load(media, subject.id);
  if (state?.status !== 'ready' || state.ownerId === STOCK_OWNER_ID) return null;
  const { ownerId } = state;
  const { state: slot } = await commands.load(listing, ownerId);
  const isShown = slot.ad !== null && (slot.ad.photos.includes(subject.id) || slot.ad.video === subject.id);
  return {
    subject,
    ownerId,
    evidence: { stream: toStreamId(media, subject.id), revision },
    isVisible: true,
    canBeHidden: isShown && canAdBeHidden(slot),
  };
}

async function findAccount({ commands, ads }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const isAccount = async (id: string) => (await commands.load(account, id)).state?.userType === 'provider';
  const accountId = (await isAccount(subject.id)) ? subject.id : await ads.ownerOf(subject.id);
  if (accountId === null) return null;
  const { state, revision } = await commands.load(account, accountId);
  if (!state || isStandIn(state)) return null;
  const { state: slot } = await commands.load(listing, accountId);
  return {
    subject: { kind: 'account', id: accountId },
    ownerId: accountId,
    evidence: { stream: toStreamId(account, accountId), revision },
    isVisible: true,
    canBeHidden: canAdBeHidden(slot),
  };
}

async function findPostSubject({ commands }: SubjectDependencies, subject: Subject): Promise<SubjectState | null> {
  const post = findSubjectPost(subject);
  if (!post || !THREAD_ID.test(post.threadId)) return null;
  const { state, revision } = await commands.load(thread, post.threadId);
  const found = state && findPost(state.posts, post.number);
  if (!found || found.status === 'deleted') return null;
  const isVisible = isVisiblePost(post.number, state);
  return {
    subject: toCaseSubject(subject),
    ownerId: found.accountId,
    evidence: { stream: toStreamId(thread, post.threadId), revision },
    isVisible,
    canBeHidden: isVisible && !found.isApproved,
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
