import type { PostView, ThreadAnswer, ThreadView } from '@alpenglow/domain/contracts';

/** The part of a thread that is shown: some of its replies, in their order and without a gap. */
export interface ThreadWindow {
  readonly thread: Omit<ThreadView, 'replies' | 'previousCursor'>;
  readonly chunks: readonly Chunk[];
}

/** Replies that came in one answer, with the ways on from both of its ends. */
export interface Chunk {
  readonly posts: readonly PostView[];
  readonly previousCursor: string | null;
  readonly nextCursor: string | null;
}

/** More answers than this are never shown at once: what is farthest from where the reader goes leaves the page. */
export const CHUNKS_MAX = 4;
/** An end that has grown reply by reply is asked for anew from here on. */
const CHUNK_POSTS_MAX = 100;

export function windowOf(answer: ThreadAnswer): ThreadWindow {
  return { thread: threadOf(answer), chunks: [chunkOf(answer)] };
}

export const repliesOf = ({ chunks }: ThreadWindow): readonly PostView[] => chunks.flatMap(({ posts }) => posts);
/** The number of the first reply that is shown; 0 without one. */
export const firstNumberOf = (window: ThreadWindow): number => repliesOf(window)[0]?.number ?? 0;
export const lastNumberOf = (window: ThreadWindow): number => repliesOf(window).at(-1)?.number ?? 0;
export const previousCursorOf = ({ chunks }: ThreadWindow): string | null => chunks[0]?.previousCursor ?? null;
export const nextCursorOf = ({ chunks }: ThreadWindow): string | null => chunks.at(-1)?.nextCursor ?? null;
/** Whether the last reply there is, as far as is known, is shown. */
export const isAtEnd = (window: ThreadWindow): boolean => nextCursorOf(window) === null;

/** Whether a post is among those shown; the opening one always is. */
export const hasPost = (window: ThreadWindow, number: number): boolean =>
  number === 0 || repliesOf(window).some((post) => post.number === number);

/** With the answer before the first one shown. */
export function withEarlier(window: ThreadWindow, answer: ThreadAnswer): ThreadWindow {
  const before = firstNumberOf(window);
  const chunk = chunkOf(answer);
  const earlier = { ...chunk, posts: chunk.posts.filter(({ number }) => number < before) };
  return { thread: threadOf(answer), chunks: [earlier, ...window.chunks].slice(0, CHUNKS_MAX) };
}

/** With the answer behind the last one shown. */
export function withLater(window: ThreadWindow, answer: ThreadAnswer): ThreadWindow {
  const behind = lastNumberOf(window);
  const chunk = chunkOf(answer);
  const later = { ...chunk, posts: chunk.posts.filter(({ number }) => number > behind) };
  return { thread: threadOf(answer), chunks: [...window.chunks, later].slice(-CHUNKS_MAX) };
}

/**
 * With the replies that have come since put in at the end, each once. Null where they do not follow what is shown, or too many have come: then
 * the end of the thread is to be asked for anew.
 */
export function withNews(window: ThreadWindow, answer: ThreadAnswer): ThreadWindow | null {
  const last = lastNumberOf(window);
  const news = answer.data.replies.filter(({ number }) => number > last);
  const [first] = news;
  if (first && first.number !== last + 1) return null;
  const end = window.chunks.at(-1);
  if (!end || end.posts.length + news.length > CHUNK_POSTS_MAX) return null;
  const grown = { ...end, posts: [...end.posts, ...news], nextCursor: answer.nextCursor };
  return { thread: threadOf(answer), chunks: [...window.chunks.slice(0, -1), grown] };
}

/** With one post changed before the server has answered. */
export function withPost(window: ThreadWindow, number: number, change: (post: PostView) => PostView): ThreadWindow {
  const changed = (post: PostView) => (post.number === number ? change(post) : post);
  return {
    thread: { ...window.thread, opening: changed(window.thread.opening) },
    chunks: window.chunks.map((chunk) =>
      chunk.posts.some((post) => post.number === number) ? { ...chunk, posts: chunk.posts.map(changed) } : chunk,
    ),
  };
}

/** A post with the reader's mark, or without it. */
export function withMark(post: PostView, isHelpful: boolean): PostView {
  if (post.isHelpful === isHelpful) return post;
  return { ...post, isHelpful, helpfulCount: Math.max(0, post.helpfulCount + (isHelpful ? 1 : -1)) };
}

const chunkOf = ({ data, nextCursor }: ThreadAnswer): Chunk => ({
  posts: data.replies,
  previousCursor: data.previousCursor,
  nextCursor,
});

function threadOf({ data }: ThreadAnswer): ThreadWindow['thread'] {
  const { replies: _replies, previousCursor: _previousCursor, ...thread } = data;
  return thread;
}
