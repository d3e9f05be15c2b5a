import {
  account,
  article,
  ARTICLE_SLUG,
  canAdBeHidden,
  caseSubjectOf,
  HOUSE_OWNER,
  isAdHidden,
  isVisiblePost,
  listing,
  media,
  postAt,
  postOfSubject,
  streamOf,
  thread,
  THREAD_ID,
  type Judged,
  type Subject,
} from '@alpenglow/domain';
import type { AdDirectory } from '../adapters/postgres/ad-directory.ts';
import type { CommandHandler } from '../command-handling.ts';

/** Something that can be judged, as it is now. */
export interface Looked extends Judged {
  /** Whether everybody sees it. */
  readonly isVisible: boolean;
  /** Whether a report or a hiding rule may take it out of sight: no moderator has let it stand as it is now. */
  readonly canBeHidden: boolean;
}

export interface LookDependencies {
  readonly commands: Pick<CommandHandler, 'load'>;
  readonly ads: AdDirectory;
}

/**
 * Looks at what a report or a decision is about; null where there is no such thing. A profile may be named by the ad of its owner, too, since
 * ids of accounts are told to nobody: the subject that comes back has the account's id.
 */
export async function lookAt(deps: LookDependencies, subject: Subject): Promise<Looked | null> {
  switch (subject.kind) {
    case 'ad':
      return lookAtAd(deps, subject);
    case 'media':
      return lookAtMedia(deps, subject);
    case 'account':
      return lookAtAccount(deps, subject);
    case 'thread':
    case 'post':
      return lookAtPost(deps, subject);
    case 'article':
      return lookAtArticle(deps, subject);
  }
}

async function lookAtAd({ commands, ads }: LookDependencies, subject: Subject): Promise<Looked | null> {
  const ownerId = await ads.ownerOf(subject.id);
  if (ownerId === null) return null;
  const { state, revision } = await commands.load(listing, ownerId);
  if (state.ad?.adId !== subject.id) return null;
  return {
    subject,
    ownerId,
    evidence: { stream: streamOf(listing, ownerId), revision },
    isVisible: !isAdHidden(state.ad),
    canBeHidden: canAdBeHidden(state),
  };
}

/** Hiding a picture hides the ad that shows it; pictures of the house are nobody's. */
async function lookAtMedia({ commands }: LookDependencies, subject: Subject): Promise<Looked | null> {
  const { state, revision } = await commands.load(media, subject.id);
  if (state?.status !== 'ready' || state.ownerId === HOUSE_OWNER) return null;
  const { ownerId } = state;
  const { state: slot } = await commands.load(listing, ownerId);
  const isShown = slot.ad !== null && (slot.ad.photos.includes(subject.id) || slot.ad.video === subject.id);
  return {
    subject,
    ownerId,
    evidence: { stream: streamOf(media, subject.id), revision },
    isVisible: true,
    canBeHidden: isShown && canAdBeHidden(slot),
  };
}

async function lookAtAccount({ commands, ads }: LookDependencies, subject: Subject): Promise<Looked | null> {
  const isAccount = async (id: string) => (await commands.load(account, id)).state?.userType === 'provider';
  const accountId = (await isAccount(subject.id)) ? subject.id : await ads.ownerOf(subject.id);
  if (accountId === null) return null;
  const { state, revision } = await commands.load(account, accountId);
  if (!state || state.repeatOf !== null) return null;
  const { state: slot } = await commands.load(listing, accountId);
  return {
    subject: { kind: 'account', id: accountId },
    ownerId: accountId,
    evidence: { stream: streamOf(account, accountId), revision },
    isVisible: true,
    canBeHidden: canAdBeHidden(slot),
  };
}

async function lookAtPost({ commands }: LookDependencies, subject: Subject): Promise<Looked | null> {
  const post = postOfSubject(subject);
  if (!post || !THREAD_ID.test(post.threadId)) return null;
  const { state, revision } = await commands.load(thread, post.threadId);
  const found = state && postAt(state.posts, post.number);
  if (!found || found.status === 'deleted') return null;
  const isVisible = isVisiblePost(post.number, state);
  return {
    subject: caseSubjectOf(subject),
    ownerId: found.accountId,
    evidence: { stream: streamOf(thread, post.threadId), revision },
    isVisible,
    canBeHidden: isVisible && !found.isCleared,
  };
}

/** Articles are the operator's own: no report hides one. */
async function lookAtArticle({ commands }: LookDependencies, subject: Subject): Promise<Looked | null> {
  if (!ARTICLE_SLUG.test(subject.id)) return null;
  const { state, revision } = await commands.load(article, subject.id);
  if (state?.status !== 'published') return null;
  return {
    subject,
    ownerId: null,
    evidence: { stream: streamOf(article, subject.id), revision },
    isVisible: true,
    canBeHidden: false,
  };
}
