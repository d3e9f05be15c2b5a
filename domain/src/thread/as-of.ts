import type { Recorded } from '../events.ts';
import type { Telling } from '../history/as-of.ts';
import { changesBetween, type Change } from '../history/changes.ts';
import type { ThreadEvent } from './events.ts';
import { POSTS_IN_A_PIECE, postCount, withChange, withPost, type PostList } from './post-list.ts';
import { thread, type Post, type Thread, type ThreadState } from './state.ts';

/** A post as it stood at some moment, hidden and deleted ones as well. Times are ISO 8601, UTC. */
export interface PostAsOf {
  readonly number: number;
  readonly accountId: string;
  readonly status: Post['status'];
  /** Markdown; empty once its author is erased. */
  readonly body: string;
  readonly quotedNumber: number | null;
  readonly postedAt: string;
  readonly editedAt: string | null;
}

/** A thread as it stood at some moment, its posts apart. */
export interface ThreadAsOf {
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

/** What readers want to know of a post and the rules do not. */
type Words = Pick<PostAsOf, 'body' | 'quotedNumber' | 'editedAt'>;

/** A thread told from its events. */
export interface ThreadTold {
  /** As the rules have it. Null before it is started. */
  readonly thread: ThreadState;
  readonly words: PostList<Words>;
}

/** Tells a thread from its events. */
export const threadTelling: Telling<ThreadTold> = {
  initial: { thread: null, words: [] },
  evolve(told, recorded) {
    const event = recorded as Recorded<ThreadEvent>;
    return { thread: thread.evolve(told.thread, event, event.meta.at), words: wordsAfter(told.words, event) };
  },
  changes: (before, after) => [...changesBetween(threadAsOf(before), threadAsOf(after)), ...postChanges(before, after)],
};

function wordsAfter(words: PostList<Words>, event: Recorded<ThreadEvent>): PostList<Words> {
  switch (event.type) {
    case 'ThreadStarted':
      return withPost(words, { body: event.data.body, quotedNumber: null, editedAt: null });
    case 'ReplyPosted':
      return withPost(words, { body: event.data.body, quotedNumber: event.data.quotedNumber, editedAt: null });
    case 'PostEdited':
      return withChange(words, event.data.number, (before) => ({
        ...before,
        body: event.data.body,
        editedAt: event.meta.at,
      }));
    default:
      return words;
  }
}

/** Only pieces of the list that are not the same as before are looked through: of ten thousand replies, an event touches one. */
function postChanges(before: ThreadTold, after: ThreadTold): readonly Change[] {
  return (after.thread?.posts ?? []).flatMap((piece, index) => {
    const isSame = before.thread?.posts[index] === piece && before.words[index] === after.words[index];
    return isSame ? [] : changesBetween(pieceByNumber(before, index), pieceByNumber(after, index), 'posts');
  });
}

function pieceByNumber(
  { thread: told, words }: ThreadTold,
  index: number,
): Readonly<Record<string, Omit<PostAsOf, 'number'>>> {
  const posts = together(told?.posts[index] ?? [], words[index] ?? [], 0);
  return Object.fromEntries(posts.map(({ number, ...post }) => [index * POSTS_IN_A_PIECE + number, post]));
}

/** The thread as it stood, as it is shown; null before it was started. */
export function threadAsOf({ thread: told }: ThreadTold): ThreadAsOf | null {
  const opening = told && openingOf(told);
  if (!opening) return null;
  const { title, place, isLocked, isPinned, isHidden, posts } = told;
  return {
    title,
    ...place,
    accountId: opening.accountId,
    isLocked,
    isPinned,
    isHidden,
    postCount: postCount(posts),
    startedAt: opening.postedAt,
  };
}

/** So many posts as they stood, from a number on. */
export function postsAsOf({ thread: told, words }: ThreadTold, from: number, most: number): readonly PostAsOf[] {
  return together((told?.posts ?? []).flat().slice(from, from + most), words.flat().slice(from, from + most), from);
}

function together(posts: readonly Post[], words: readonly Words[], first: number): readonly PostAsOf[] {
  return posts.flatMap(({ accountId, status, postedAt }, index) => {
    const said = words[index];
    return said ? [{ number: first + index, accountId, status, ...said, postedAt }] : [];
  });
}

function openingOf({ posts }: Thread): Post | null {
  return posts[0]?.[0] ?? null;
}
