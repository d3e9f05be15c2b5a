import type { PostView, ResponseOf, ThreadView } from '@alpenglow/domain/contracts';

/** The loaded part of a thread. The loaded replies follow each other without gaps. */
export interface ThreadWindow {
  readonly thread: Omit<ThreadView, 'replies' | 'previousCursor'>;
  readonly chunks: readonly Chunk[];
}

/** The replies of one response, with the cursors that request the previous and the next page. */
interface Chunk {
  readonly posts: readonly PostView[];
  readonly previousCursor: string | null;
  readonly nextCursor: string | null;
}

/**
 * Maximum number of loaded chunks of replies. If there are more, the chunk that is farthest from the reader is removed.
 */
export const CHUNKS_MAX = 4;
/**
 * Maximum number of replies in the last chunk, to which live replies are added. If there are more, the last page is
 * fetched again.
 */
const CHUNK_POSTS_MAX = 100;

export function createWindow(response: ResponseOf<'getThread'>): ThreadWindow {
  return { thread: threadOf(response), chunks: [chunkOf(response)] };
}

export const getReplies = ({ chunks }: ThreadWindow): readonly PostView[] => chunks.flatMap(({ posts }) => posts);
/** Returns the number of the first loaded reply, or 0 if no reply is loaded. */
export const getFirstNumber = (window: ThreadWindow): number => getReplies(window)[0]?.number ?? 0;
export const getLastNumber = (window: ThreadWindow): number => getReplies(window).at(-1)?.number ?? 0;
export const getPreviousCursor = ({ chunks }: ThreadWindow): string | null => chunks[0]?.previousCursor ?? null;
export const getNextCursor = ({ chunks }: ThreadWindow): string | null => chunks.at(-1)?.nextCursor ?? null;
/** Returns true if there is no further page after the loaded replies. */
export const isAtEnd = (window: ThreadWindow): boolean => getNextCursor(window) === null;

/** Returns true if a post is loaded. The opening post, which has the number 0, is always loaded. */
export const hasPost = (window: ThreadWindow, number: number): boolean =>
  number === 0 || getReplies(window).some((post) => post.number === number);

/** Adds an earlier page before the first loaded reply. If there are too many chunks, the last chunk is removed. */
export function addEarlierReplies(window: ThreadWindow, response: ResponseOf<'getThread'>): ThreadWindow {
  const firstNumber = getFirstNumber(window);
  const chunk = chunkOf(response);
  const earlier = { ...chunk, posts: chunk.posts.filter(({ number }) => number < firstNumber) };
  return { thread: threadOf(response), chunks: [earlier, ...window.chunks].slice(0, CHUNKS_MAX) };
}

/** Adds a later page after the last loaded reply. If there are too many chunks, the first chunk is removed. */
export function addLaterReplies(window: ThreadWindow, response: ResponseOf<'getThread'>): ThreadWindow {
  const lastNumber = getLastNumber(window);
  const chunk = chunkOf(response);
  const later = { ...chunk, posts: chunk.posts.filter(({ number }) => number > lastNumber) };
  return { thread: threadOf(response), chunks: [...window.chunks, later].slice(-CHUNKS_MAX) };
}

/**
 * Appends each new reply once. Returns null if the new replies do not directly follow the loaded replies, or if the
 * last chunk becomes too long. The caller must then fetch the last page again.
 */
export function addNewReplies(window: ThreadWindow, response: ResponseOf<'getThread'>): ThreadWindow | null {
  const last = getLastNumber(window);
  const newReplies = response.data.replies.filter(({ number }) => number > last);
  const [first] = newReplies;
  if (first && first.number !== last + 1) return null;
  const end = window.chunks.at(-1);
  if (!end || end.posts.length + newReplies.length > CHUNK_POSTS_MAX) return null;
  const extended = { ...end, posts: [...end.posts, ...newReplies], nextCursor: response.nextCursor };
  return { thread: threadOf(response), chunks: [...window.chunks.slice(0, -1), extended] };
}

/** Returns the window with one changed post. The page can thus show a change before the server has responded. */
export function updatePost(window: ThreadWindow, number: number, change: (post: PostView) => PostView): ThreadWindow {
  const changed = (post: PostView) => (post.number === number ? change(post) : post);
  return {
    thread: { ...window.thread, opening: changed(window.thread.opening) },
    chunks: window.chunks.map((chunk) =>
      chunk.posts.some((post) => post.number === number) ? { ...chunk, posts: chunk.posts.map(changed) } : chunk,
    ),
  };
}

/** Returns the post with or without the viewer's helpful mark, and with the new number of marks. */
export function setHelpfulMark(post: PostView, isHelpful: boolean): PostView {
  if (post.isHelpful === isHelpful) return post;
  return { ...post, isHelpful, helpfulCount: Math.max(0, post.helpfulCount + (isHelpful ? 1 : -1)) };
}

const chunkOf = ({ data, nextCursor }: ResponseOf<'getThread'>): Chunk => ({
  posts: data.replies,
  previousCursor: data.previousCursor,
  nextCursor,
});

function threadOf({ data }: ResponseOf<'getThread'>): ThreadWindow['thread'] {
  const { replies: _replies, previousCursor: _previousCursor, ...thread } = data;
  return thread;
}
