import type { Decider } from '../aggregate.ts';
import { EDIT_WINDOW_ms, MAX_REPLIES } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import { requireLinkLimit } from '../author/decide.ts';
import type {
  Author,
  DeletePost,
  EditPost,
  HidePost,
  LockThread,
  MoveThread,
  PinThread,
  ReplyToThread,
  RestorePost,
  StartThread,
} from './commands.ts';
import type { ThreadEvent } from './events.ts';
import { findPost, countPosts, hasPost } from './post-list.ts';
import type { Post, Thread, ThreadState } from './state.ts';

/**
 * Starts a thread with its opening post. `author/decide.ts` has already checked whether the author may post. Throws
 * DUPLICATE_TEXT if a thread with this id exists, because an earlier request with the same text then started it.
 */
export const startThread: Decider<StartThread, ThreadState, ThreadEvent> = (
  { threadId, accountId, admissionId, place, title, content },
  state,
) => {
  if (state) throw new DomainError('DUPLICATE_TEXT');
  const { body, fingerprint } = content;
  return [{ type: 'ThreadStarted', data: { threadId, accountId, admissionId, ...place, title, body, fingerprint } }];
};

/**
 * Adds a reply at the end of a thread. Throws THREAD_NOT_FOUND, THREAD_FULL, and THREAD_LOCKED except for moderators.
 * Throws POST_NOT_FOUND if the quoted post is not visible. Throws DUPLICATE_TEXT if the admission, which permits one
 * post, was already used.
 */
export const replyToThread: Decider<ReplyToThread, ThreadState, ThreadEvent> = (command, state) => {
  const { member, admissionId, content, quotedNumber } = command;
  const { threadId, posts } = requireReplyableThread(command, state);
  const { accountId } = member;
  const { body, fingerprint } = content;
  return [
    {
      type: 'ReplyPosted',
      data: { threadId, number: countPosts(posts), accountId, admissionId, body, fingerprint, quotedNumber },
    },
  ];
};

/**
 * Returns the thread if a reply can be added to it. `admissionId` is the permission to post the reply, or null if the
 * author has no permission yet. Throws the same errors as `replyToThread`.
 */
export function requireReplyableThread(
  {
    member,
    admissionId,
    quotedNumber,
  }: Pick<ReplyToThread, 'member' | 'quotedNumber'> & { readonly admissionId: string | null },
  state: ThreadState,
): Thread {
  const thread = requireWritableThread(state, member.isModerator);
  if (countPosts(thread.posts) > MAX_REPLIES) throw new DomainError('THREAD_FULL');
  if (hasPost(thread.posts, (post) => post.admissionId === admissionId)) throw new DomainError('DUPLICATE_TEXT');
  if (quotedNumber !== null && findPost(thread.posts, quotedNumber)?.status !== 'visible')
    throw new DomainError('POST_NOT_FOUND');
  return thread;
}

/**
 * Changes the text of the author's own post within 15 minutes. The earlier text remains in the history. Only an opening
 * post has a title. Records every edit, even if the text seems unchanged, because the stored fingerprint ignores
 * punctuation. Throws THREAD_NOT_FOUND, POST_NOT_FOUND, ONLY_AUTHOR, VERIFICATION_REQUIRED, POST_HIDDEN, THREAD_LOCKED,
 * EDIT_WINDOW_OVER and TOO_MANY_LINKS.
 */
export const editPost: Decider<EditPost, ThreadState, ThreadEvent> = (
  { member, number, title, content },
  state,
  { now },
) => {
  const thread = requireThread(state);
  const post = requireOwnPost(thread, number, member);
  if (post.status === 'hidden') throw new DomainError('POST_HIDDEN');
  requireWritableThread(thread, member.isModerator);
  if (Date.parse(now) - Date.parse(post.postedAt) > EDIT_WINDOW_ms) throw new DomainError('EDIT_WINDOW_OVER');
  requireLinkLimit(member, content.links, now);
  const { body, fingerprint } = content;
  const newTitle = number === 0 && title !== undefined && title !== thread.title ? { title } : {};
  return [
    {
      type: 'PostEdited',
      data: { threadId: thread.threadId, number, accountId: post.accountId, ...newTitle, body, fingerprint },
    },
  ];
};

/**
 * Deletes the text of the author's own post permanently. The post keeps its number in the thread. Idempotent. Throws
 * THREAD_NOT_FOUND, POST_NOT_FOUND, ONLY_AUTHOR and VERIFICATION_REQUIRED.
 */
export const deletePost: Decider<DeletePost, ThreadState, ThreadEvent> = ({ number, member }, state) => {
  const thread = requireThread(state);
  const post = requirePost(thread, number);
  checkAuthor(post, member);
  return post.status === 'deleted'
    ? []
    : [{ type: 'PostDeleted', data: { threadId: thread.threadId, number, accountId: post.accountId } }];
};

/**
 * Hides a post. Hiding an opening post hides its whole thread. Throws THREAD_NOT_FOUND, and POST_NOT_FOUND for a
 * deleted or unknown post.
 */
export const hidePost: Decider<HidePost, ThreadState, ThreadEvent> = ({ number, by, reason }, state) => {
  const thread = requireThread(state);
  const post = requireUndeletedPost(thread, number);
  if (post.status === 'hidden') return [];
  return [{ type: 'PostHidden', data: { threadId: thread.threadId, number, accountId: post.accountId, by, reason } }];
};

/** Shows a hidden post again. Throws THREAD_NOT_FOUND, and POST_NOT_FOUND for a deleted or unknown post. */
export const restorePost: Decider<RestorePost, ThreadState, ThreadEvent> = ({ number }, state) => {
  const thread = requireThread(state);
  const post = requireUndeletedPost(thread, number);
  return post.status === 'visible'
    ? []
    : [{ type: 'PostRestored', data: { threadId: thread.threadId, number, accountId: post.accountId } }];
};

/** Closes a thread to replies, or opens it again. Throws THREAD_NOT_FOUND. */
export const lockThread: Decider<LockThread, ThreadState, ThreadEvent> = ({ isLocked }, state) => {
  const thread = requireThread(state);
  return thread.isLocked === isLocked
    ? []
    : [{ type: isLocked ? 'ThreadLocked' : 'ThreadUnlocked', data: { threadId: thread.threadId } }];
};

/** Pins a thread to the top of the list of its city, or unpins it. Throws THREAD_NOT_FOUND. */
export const pinThread: Decider<PinThread, ThreadState, ThreadEvent> = ({ isPinned }, state) => {
  const thread = requireThread(state);
  return thread.isPinned === isPinned
    ? []
    : [{ type: isPinned ? 'ThreadPinned' : 'ThreadUnpinned', data: { threadId: thread.threadId } }];
};

/** Moves a thread to another city. The old URL of the thread redirects to the new URL. Throws THREAD_NOT_FOUND. */
export const moveThread: Decider<MoveThread, ThreadState, ThreadEvent> = ({ country, state: toState, city }, state) => {
  const { threadId, place } = requireThread(state);
  const isThere = place.country === country && place.state === toState && place.city === city;
  return isThere ? [] : [{ type: 'ThreadMoved', data: { threadId, country, state: toState, city } }];
};

/**
 * Returns the author of a visible post. Only a visible post can be marked as helpful, quoted or reported. Throws
 * THREAD_NOT_FOUND and POST_NOT_FOUND.
 */
export function requireVisiblePostAuthor(number: number, state: ThreadState): string {
  const post = requireUndeletedPost(requireVisibleThread(state), number);
  if (post.status !== 'visible') throw new DomainError('POST_NOT_FOUND');
  return post.accountId;
}

/**
 * Returns the thread if everybody can open it. A thread whose opening post was deleted can still be opened, because of
 * its replies. Throws THREAD_NOT_FOUND for an unknown or hidden thread.
 */
export function requireVisibleThread(state: ThreadState): Thread {
  const thread = requireThread(state);
  if (thread.isHidden) throw new DomainError('THREAD_NOT_FOUND');
  return thread;
}

function requireThread(state: ThreadState): Thread {
  if (!state) throw new DomainError('THREAD_NOT_FOUND');
  return state;
}

/** Returns the thread if it accepts posts. A moderator can also post in a hidden or locked thread. */
function requireWritableThread(state: ThreadState, isModerator: boolean): Thread {
  const thread = requireThread(state);
  if (isModerator) return thread;
  requireVisibleThread(thread);
  if (thread.isLocked) throw new DomainError('THREAD_LOCKED');
  return thread;
}

function requirePost({ posts }: Thread, number: number): Post {
  const post = findPost(posts, number);
  if (!post) throw new DomainError('POST_NOT_FOUND');
  return post;
}

function requireUndeletedPost(thread: Thread, number: number): Post {
  const post = requirePost(thread, number);
  if (post.status === 'deleted') throw new DomainError('POST_NOT_FOUND');
  return post;
}

function requireOwnPost(thread: Thread, number: number, member: Author): Post {
  const post = requireUndeletedPost(thread, number);
  checkAuthor(post, member);
  return post;
}

/**
 * Throws if the member is not the author of the post. After an account is closed, a new account with the same e-mail
 * address has the same id. Therefore, only a verified e-mail address proves the authorship.
 */
function checkAuthor(post: Post, { accountId, emailVerified }: Author): void {
  if (post.accountId !== accountId) throw new DomainError('ONLY_AUTHOR');
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
}
