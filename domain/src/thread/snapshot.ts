import type { RecordedDomainEvent } from '../events.ts';
import type { HistoryReducer } from '../history/history-reducer.ts';
import { findChanges, type FieldChange } from '../history/changes.ts';
import type { ThreadEvent } from './events.ts';
import { POSTS_PER_CHUNK, countPosts, updatePost, appendPost, type PostList } from './post-list.ts';
import { thread, type Post, type Thread, type ThreadState } from './state.ts';

/**
 * A snapshot of a post at one point in its history. Hidden and deleted posts are included. Times are ISO 8601 in UTC.
 */
export interface PostSnapshot {
  readonly number: number;
  readonly accountId: string;
  readonly status: Post['status'];
  /** The text of the post in Markdown. Empty after an erasure of the author's data. */
  readonly body: string;
  readonly quotedNumber: number | null;
  readonly postedAt: string;
  readonly editedAt: string | null;
}

/** A snapshot of a thread at one point in its history, without its posts. */
export interface ThreadSnapshot {
  readonly title: string;
  readonly country: string;
  readonly state: string;
  readonly city: string;
  readonly accountId: string;
  readonly isLocked: boolean;
  readonly isPinned: boolean;
  readonly isHidden: boolean;
  readonly postCount: number;
  readonly startedAt: string;
}

/** The fields of a post that are shown in the history but are not needed to decide about commands. */
type PostContent = Pick<PostSnapshot, 'body' | 'quotedNumber' | 'editedAt'>;

/** The thread and the contents of its posts, computed from the events of the thread. */
export interface ThreadHistoryState {
  /** The state of the thread that is used to decide about commands. Null before the thread is started. */
  readonly thread: ThreadState;
  readonly contents: PostList<PostContent>;
}

/** Computes the history of a thread from its events. */
export const threadHistoryReducer: HistoryReducer<ThreadHistoryState> = {
  initial: { thread: null, contents: [] },
  evolve(state, recorded) {
    const event = recorded as RecordedDomainEvent<ThreadEvent>;
    return { thread: thread.evolve(state.thread, event, event.meta.at), contents: wordsAfter(state.contents, event) };
  },
  findChanges: (before, after) => [
    ...findChanges(toThreadSnapshot(before), toThreadSnapshot(after)),
    ...postChanges(before, after),
  ],
};

function wordsAfter(words: PostList<PostContent>, event: RecordedDomainEvent<ThreadEvent>): PostList<PostContent> {
  switch (event.type) {
    case 'ThreadStarted':
      return appendPost(words, { body: event.data.body, quotedNumber: null, editedAt: null });
    case 'ReplyPosted':
      return appendPost(words, { body: event.data.body, quotedNumber: event.data.quotedNumber, editedAt: null });
    case 'PostEdited':
      return updatePost(words, event.data.number, (before) => ({
        ...before,
        body: event.data.body,
        editedAt: event.meta.at,
      }));
    default:
      return words;
  }
}

/**
 * Returns the fields of posts that differ between two states of a thread. Unchanged chunks of the post list are
 * skipped, because an event affects only one of up to ten thousand replies.
 */
function postChanges(before: ThreadHistoryState, after: ThreadHistoryState): readonly FieldChange[] {
  return (after.thread?.posts ?? []).flatMap((chunk, index) => {
    const isSame = before.thread?.posts[index] === chunk && before.contents[index] === after.contents[index];
    return isSame ? [] : findChanges(chunkByNumber(before, index), chunkByNumber(after, index), 'posts');
  });
}

function chunkByNumber(
  { thread: state, contents }: ThreadHistoryState,
  index: number,
): Readonly<Record<string, Omit<PostSnapshot, 'number'>>> {
  const posts = mergePosts(state?.posts[index] ?? [], contents[index] ?? [], 0);
  return Object.fromEntries(posts.map(({ number, ...post }) => [index * POSTS_PER_CHUNK + number, post]));
}

/** Returns the snapshot of a thread, or null before the thread is started. */
export function toThreadSnapshot({ thread: started }: ThreadHistoryState): ThreadSnapshot | null {
  const opening = started && openingOf(started);
  if (!opening) return null;
  const { title, place, isLocked, isPinned, isHidden, posts } = started;
  return {
    title,
    ...place,
    accountId: opening.accountId,
    isLocked,
    isPinned,
    isHidden,
    postCount: countPosts(posts),
    startedAt: opening.postedAt,
  };
}

/** Returns snapshots of at most `limit` posts, starting at the number `from`. */
export function toPostSnapshots(
  { thread: state, contents }: ThreadHistoryState,
  from: number,
  limit: number,
): readonly PostSnapshot[] {
  return mergePosts(
    (state?.posts ?? []).flat().slice(from, from + limit),
    contents.flat().slice(from, from + limit),
    from,
  );
}

function mergePosts(posts: readonly Post[], words: readonly PostContent[], first: number): readonly PostSnapshot[] {
  return posts.flatMap(({ accountId, status, postedAt }, index) => {
    const content = words[index];
    return content ? [{ number: first + index, accountId, status, ...content, postedAt }] : [];
  });
}

function openingOf({ posts }: Thread): Post | null {
  return posts[0]?.[0] ?? null;
}
