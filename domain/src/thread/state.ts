import type { Aggregate } from '../aggregate.ts';
import type { ThreadPlace } from './commands.ts';
import { threadEvents, type ThreadEvent } from './events.ts';
import { findPost, updatePost, appendPost, type PostList } from './post-list.ts';

/**
 * The fields of a post that are needed to decide about commands. The text of the post is stored only in the read
 * models.
 */
export interface Post {
  readonly accountId: string;
  readonly admissionId: string;
  /** The time of the post in ISO 8601. */
  readonly postedAt: string;
  readonly fingerprint: string;
  readonly status: 'visible' | 'hidden' | 'deleted';
  /**
   * The revision of the last event that changed the text of the post. A decision about an earlier revision is not about
   * this text (`isConfirmed`).
   */
  readonly contentRevision: number;
}

export interface Thread {
  /** The revision of the last event. */
  readonly revision: number;
  readonly threadId: string;
  readonly title: string;
  readonly place: ThreadPlace;
  readonly isLocked: boolean;
  readonly isPinned: boolean;
  /** True if the opening post was hidden and not restored. The thread stays hidden if the post is deleted later. */
  readonly isHidden: boolean;
  /** The first post of the list is the opening post, with the number 0. */
  readonly posts: PostList<Post>;
}

/** State of a thread. Null before the thread is started. */
export type ThreadState = Thread | null;

function newPost(
  { accountId, admissionId, fingerprint }: Pick<Post, 'accountId' | 'admissionId' | 'fingerprint'>,
  postedAt: string,
  contentRevision: number,
): Post {
  return { accountId, admissionId, postedAt, fingerprint, status: 'visible', contentRevision };
}

function evolve(state: ThreadState, event: ThreadEvent, at: string): ThreadState {
  if (event.type === 'ThreadStarted') {
    const { threadId, title, country, state: inState, city } = event.data;
    const opening = newPost(event.data, at, 0);
    const place = { country, state: inState, city };
    return {
      revision: 0,
      threadId,
      title,
      place,
      isLocked: false,
      isPinned: false,
      isHidden: false,
      posts: [[opening]],
    };
  }
  return state && evolveStarted({ ...state, revision: state.revision + 1 }, event, at);
}

function evolveStarted(thread: Thread, event: Exclude<ThreadEvent, { type: 'ThreadStarted' }>, at: string): Thread {
  const changed = (number: number, change: Partial<Post>) => ({
    ...thread,
    posts: updatePost(thread.posts, number, (post) => ({ ...post, ...change })),
  });
  switch (event.type) {
    case 'ReplyPosted':
      return { ...thread, posts: appendPost(thread.posts, newPost(event.data, at, thread.revision)) };
    case 'PostEdited':
      return {
        ...changed(event.data.number, { fingerprint: event.data.fingerprint, contentRevision: thread.revision }),
        ...(event.data.title !== undefined && { title: event.data.title }),
      };
    case 'PostDeleted':
      return changed(event.data.number, { status: 'deleted' });
    case 'PostHidden':
      return {
        ...changed(event.data.number, { status: 'hidden' }),
        ...(event.data.number === 0 && { isHidden: true }),
      };
    case 'PostRestored':
      return {
        ...changed(event.data.number, { status: 'visible' }),
        ...(event.data.number === 0 && { isHidden: false }),
      };
    case 'ThreadLocked':
      return { ...thread, isLocked: true };
    case 'ThreadUnlocked':
      return { ...thread, isLocked: false };
    case 'ThreadPinned':
      return { ...thread, isPinned: true };
    case 'ThreadUnpinned':
      return { ...thread, isPinned: false };
    case 'ThreadMoved': {
      const { country, state, city } = event.data;
      return { ...thread, place: { country, state, city } };
    }
  }
}

export const thread: Aggregate<ThreadState, ThreadEvent> = {
  name: 'thread',
  initial: null,
  evolve,
  eventDefinitions: threadEvents,
};

/** Checks whether everybody can see a post and its thread. */
export function isVisiblePost(number: number, state: ThreadState): boolean {
  return state !== null && !state.isHidden && findPost(state.posts, number)?.status === 'visible';
}
