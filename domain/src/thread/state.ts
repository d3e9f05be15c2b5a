import type { Aggregate } from '../aggregate.ts';
import type { ThreadPlace } from './commands.ts';
import { threadEvents, type ThreadEvent } from './events.ts';
import { withChange, withPost, type PostList } from './post-list.ts';

/** A post as its rules need it: its words are for the read models. */
export interface Post {
  readonly accountId: string;
  readonly admissionId: string;
  /** ISO 8601. */
  readonly postedAt: string;
  readonly fingerprint: string;
  readonly status: 'visible' | 'hidden' | 'deleted';
  /** A moderator has looked at it as it is now and let it stand: a report hides it no more. */
  readonly isCleared: boolean;
}

export interface Thread {
  readonly threadId: string;
  readonly title: string;
  readonly place: ThreadPlace;
  readonly isLocked: boolean;
  readonly isPinned: boolean;
  /** Its opening post was hidden, and has not been restored: deleting it after brings the thread back to nobody. */
  readonly isHidden: boolean;
  /** The opening post is number 0. */
  readonly posts: PostList<Post>;
}

/** Null until the thread is started. */
export type ThreadState = Thread | null;

function evolve(state: ThreadState, event: ThreadEvent, at: string): ThreadState {
  if (event.type === 'ThreadStarted') {
    const { threadId, accountId, admissionId, fingerprint, title, country, state: inState, city } = event.data;
    const opening: Post = { accountId, admissionId, postedAt: at, fingerprint, status: 'visible', isCleared: false };
    return {
      threadId,
      title,
      place: { country, state: inState, city },
      isLocked: false,
      isPinned: false,
      isHidden: false,
      posts: [[opening]],
    };
  }
  return state && evolveStarted(state, event, at);
}

function evolveStarted(thread: Thread, event: Exclude<ThreadEvent, { type: 'ThreadStarted' }>, at: string): Thread {
  const changed = (number: number, change: Partial<Post>) => ({
    ...thread,
    posts: withChange(thread.posts, number, (post) => ({ ...post, ...change })),
  });
  switch (event.type) {
    case 'ReplyPosted': {
      const { accountId, admissionId, fingerprint } = event.data;
      return {
        ...thread,
        posts: withPost(thread.posts, {
          accountId,
          admissionId,
          postedAt: at,
          fingerprint,
          status: 'visible',
          isCleared: false,
        }),
      };
    }
    case 'PostEdited':
      return {
        ...changed(event.data.number, { fingerprint: event.data.fingerprint, isCleared: false }),
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
        ...changed(event.data.number, { status: 'visible', isCleared: true }),
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
  definitions: threadEvents,
};
