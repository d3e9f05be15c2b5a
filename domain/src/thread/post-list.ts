/**
 * The posts of a thread, in the order of their numbers and divided into chunks. Adding a reply copies only the last
 * chunk instead of up to ten thousand posts.
 */
export type PostList<Post> = readonly (readonly Post[])[];

/** The number of posts in each chunk. The last chunk may have fewer. */
export const POSTS_PER_CHUNK = 128;

export function findPost<Post>(list: PostList<Post>, number: number): Post | undefined {
  return list[Math.floor(number / POSTS_PER_CHUNK)]?.[number % POSTS_PER_CHUNK];
}

export function countPosts(list: PostList<unknown>): number {
  return list.length === 0 ? 0 : (list.length - 1) * POSTS_PER_CHUNK + (list.at(-1)?.length ?? 0);
}

/** Returns a copy of the list with a new post at its end. */
export function appendPost<Post>(list: PostList<Post>, post: Post): PostList<Post> {
  const last = list.at(-1);
  return last && last.length < POSTS_PER_CHUNK ? [...list.slice(0, -1), [...last, post]] : [...list, [post]];
}

/**
 * Returns a copy of the list in which the post with this number is changed. Returns the same list if the number is
 * unknown.
 */
export function updatePost<Post>(list: PostList<Post>, number: number, change: (post: Post) => Post): PostList<Post> {
  const chunk = list[Math.floor(number / POSTS_PER_CHUNK)];
  const post = chunk?.[number % POSTS_PER_CHUNK];
  return chunk && post !== undefined
    ? list.with(Math.floor(number / POSTS_PER_CHUNK), chunk.with(number % POSTS_PER_CHUNK, change(post)))
    : list;
}

/** Checks whether `matches` returns true for at least one post of the list. */
export function hasPost<Post>(list: PostList<Post>, matches: (post: Post) => boolean): boolean {
  return list.some((chunk) => chunk.some(matches));
}
