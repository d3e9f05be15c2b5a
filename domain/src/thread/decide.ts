import type { DecisionContext } from '../aggregate.ts';
import { EDIT_WINDOW_ms, MAX_REPLIES } from '../constants.ts';
import { DomainError } from '../errors.ts';
import { checkLinks } from '../author/decide.ts';
import type { EditPost, HidePost, Member, ReplyToThread, StartThread, ThreadPlace } from './commands.ts';
import type { ThreadEvent } from './events.ts';
import { postAt, postCount, somePost } from './post-list.ts';
import type { Post, Thread, ThreadState } from './state.ts';

type Author = Pick<Member, 'accountId' | 'emailVerified'>;

/**
 * Starts a thread with its opening post. Whether its author may post at all was decided before (`author/decide.ts`).
 * Refuses with DUPLICATE_TEXT when it is there already: the same words once more.
 */
export function startThread(
  { threadId, accountId, admissionId, place, title, words }: StartThread,
  state: ThreadState,
): readonly ThreadEvent[] {
  if (state) throw new DomainError('DUPLICATE_TEXT');
  const { body, fingerprint } = words;
  return [{ type: 'ThreadStarted', data: { threadId, accountId, admissionId, ...place, title, body, fingerprint } }];
}

/**
 * Adds a reply at the end. Refuses with THREAD_NOT_FOUND, THREAD_LOCKED (moderators still reply), THREAD_FULL, POST_NOT_FOUND (the post it
 * quotes is not to be seen), DUPLICATE_TEXT (this admission has been used: the same words once more).
 */
export function replyToThread(
  { member, admissionId, words, quotedNumber }: ReplyToThread,
  state: ThreadState,
): readonly ThreadEvent[] {
  const thread = openThread(state, member.isModerator);
  const number = postCount(thread.posts);
  if (number > MAX_REPLIES) throw new DomainError('THREAD_FULL');
  if (somePost(thread.posts, (post) => post.admissionId === admissionId)) throw new DomainError('DUPLICATE_TEXT');
  if (quotedNumber !== null && postAt(thread.posts, quotedNumber)?.status !== 'visible')
    throw new DomainError('POST_NOT_FOUND');
  const { body, fingerprint } = words;
  return [
    {
      type: 'ReplyPosted',
      data: {
        threadId: thread.threadId,
        number,
        accountId: member.accountId,
        admissionId,
        body,
        fingerprint,
        quotedNumber,
      },
    },
  ];
}

/**
 * Changes the words of one's own post within 15 minutes; what it said before stays in its history. A title goes with an opening post only.
 * Whether the words are other ones is for the read models to see: the fingerprint leaves out what sets "its" apart from "it's".
 * Refuses with THREAD_NOT_FOUND, POST_NOT_FOUND, ONLY_AUTHOR, VERIFICATION_REQUIRED, POST_HIDDEN, THREAD_LOCKED, EDIT_WINDOW_OVER, TOO_MANY_LINKS.
 */
export function editPost(
  { member, number, title, words }: EditPost,
  state: ThreadState,
  { now }: DecisionContext,
): readonly ThreadEvent[] {
  const thread = startedThread(state);
  const post = ownPost(thread, number, member);
  if (post.status === 'hidden') throw new DomainError('POST_HIDDEN');
  openThread(thread, member.isModerator);
  if (Date.parse(now) - Date.parse(post.postedAt) > EDIT_WINDOW_ms) throw new DomainError('EDIT_WINDOW_OVER');
  checkLinks(member, words.links, now);
  const { body, fingerprint } = words;
  const newTitle = number === 0 && title !== undefined && title !== thread.title ? { title } : {};
  return [
    {
      type: 'PostEdited',
      data: { threadId: thread.threadId, number, accountId: post.accountId, ...newTitle, body, fingerprint },
    },
  ];
}

/**
 * Takes the words of one's own post away for good; its place stays. Twice is once.
 * Refuses with THREAD_NOT_FOUND, POST_NOT_FOUND, ONLY_AUTHOR, VERIFICATION_REQUIRED.
 */
export function deletePost(number: number, member: Author, state: ThreadState): readonly ThreadEvent[] {
  const thread = startedThread(state);
  const post = postNumbered(thread, number);
  checkAuthor(post, member);
  return post.status === 'deleted'
    ? []
    : [{ type: 'PostDeleted', data: { threadId: thread.threadId, number, accountId: post.accountId } }];
}

/**
 * Hides a post, an opening post with its whole thread. A report hides nothing a moderator has let stand before.
 * Refuses with THREAD_NOT_FOUND, POST_NOT_FOUND (deleted, or never there).
 */
export function hidePost({ number, by, reason }: HidePost, state: ThreadState): readonly ThreadEvent[] {
  const thread = startedThread(state);
  const post = postThere(thread, number);
  if (post.status === 'hidden' || (by === 'report' && post.isCleared)) return [];
  return [{ type: 'PostHidden', data: { threadId: thread.threadId, number, accountId: post.accountId, by, reason } }];
}

/** Shows a hidden post again. Refuses with THREAD_NOT_FOUND, POST_NOT_FOUND (deleted, or never there). */
export function restorePost(number: number, state: ThreadState): readonly ThreadEvent[] {
  const thread = startedThread(state);
  const post = postThere(thread, number);
  return post.status === 'visible'
    ? []
    : [{ type: 'PostRestored', data: { threadId: thread.threadId, number, accountId: post.accountId } }];
}

/** Closes a thread to replies, or opens it again. Refuses with THREAD_NOT_FOUND. */
export function lockThread(isLocked: boolean, state: ThreadState): readonly ThreadEvent[] {
  const thread = startedThread(state);
  return thread.isLocked === isLocked
    ? []
    : [{ type: isLocked ? 'ThreadLocked' : 'ThreadUnlocked', data: { threadId: thread.threadId } }];
}

/** Puts a thread first in the list of its city, or among the others again. Refuses with THREAD_NOT_FOUND. */
export function pinThread(isPinned: boolean, state: ThreadState): readonly ThreadEvent[] {
  const thread = startedThread(state);
  return thread.isPinned === isPinned
    ? []
    : [{ type: isPinned ? 'ThreadPinned' : 'ThreadUnpinned', data: { threadId: thread.threadId } }];
}

/** Moves a thread to another city; its old address leads to the new one. Refuses with THREAD_NOT_FOUND. */
export function moveThread({ country, state: toState, city }: ThreadPlace, state: ThreadState): readonly ThreadEvent[] {
  const { threadId, place } = startedThread(state);
  const isThere = place.country === country && place.state === toState && place.city === city;
  return isThere ? [] : [{ type: 'ThreadMoved', data: { threadId, country, state: toState, city } }];
}

/**
 * The author of a post that may be marked helpful, quoted or reported: it is to be seen.
 * Refuses with THREAD_NOT_FOUND, POST_NOT_FOUND.
 */
export function authorOfVisiblePost(number: number, state: ThreadState): string {
  const post = postThere(requireReachableThread(state), number);
  if (post.status !== 'visible') throw new DomainError('POST_NOT_FOUND');
  return post.accountId;
}

/** Whether a post is to be seen by everybody, and its thread with it. */
export function isVisiblePost(number: number, state: ThreadState): boolean {
  return state !== null && !state.isHidden && postAt(state.posts, number)?.status === 'visible';
}

/** A thread that everybody can open. One whose opening post is deleted is still there, for its replies, unless it was hidden before. Refuses with THREAD_NOT_FOUND. */
export function requireReachableThread(state: ThreadState): Thread {
  const thread = startedThread(state);
  if (thread.isHidden) throw new DomainError('THREAD_NOT_FOUND');
  return thread;
}

function startedThread(state: ThreadState): Thread {
  if (!state) throw new DomainError('THREAD_NOT_FOUND');
  return state;
}

/** A thread that can be written in. */
function openThread(state: ThreadState, isModerator: boolean): Thread {
  const thread = startedThread(state);
  if (isModerator) return thread;
  requireReachableThread(thread);
  if (thread.isLocked) throw new DomainError('THREAD_LOCKED');
  return thread;
}

function postNumbered({ posts }: Thread, number: number): Post {
  const post = postAt(posts, number);
  if (!post) throw new DomainError('POST_NOT_FOUND');
  return post;
}

function postThere(thread: Thread, number: number): Post {
  const post = postNumbered(thread, number);
  if (post.status === 'deleted') throw new DomainError('POST_NOT_FOUND');
  return post;
}

function ownPost(thread: Thread, number: number, member: Author): Post {
  const post = postThere(thread, number);
  checkAuthor(post, member);
  return post;
}

/** Whoever signs up again with the address of a closed account has its id: only their code shows that they are its author. */
function checkAuthor(post: Post, { accountId, emailVerified }: Author): void {
  if (post.accountId !== accountId) throw new DomainError('ONLY_AUTHOR');
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
}
