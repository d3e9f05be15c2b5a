/** The posts of a thread by number. In pieces, so that a thread of ten thousand replies is not copied whole for each of them. */
export type PostList<Post> = readonly (readonly Post[])[];

/** So many posts are in each piece but the last. */
export const POSTS_IN_A_PIECE = 128;

export function postAt<Post>(list: PostList<Post>, number: number): Post | undefined {
  return list[Math.floor(number / POSTS_IN_A_PIECE)]?.[number % POSTS_IN_A_PIECE];
}

export function postCount(list: PostList<unknown>): number {
  return list.length === 0 ? 0 : (list.length - 1) * POSTS_IN_A_PIECE + (list.at(-1)?.length ?? 0);
}

/** The list with one more post at its end. */
export function withPost<Post>(list: PostList<Post>, post: Post): PostList<Post> {
  const last = list.at(-1);
  return last && last.length < POSTS_IN_A_PIECE ? [...list.slice(0, -1), [...last, post]] : [...list, [post]];
}

/** The list with the post of this number changed; as it was when there is none. */
export function withChange<Post>(list: PostList<Post>, number: number, change: (post: Post) => Post): PostList<Post> {
  const piece = list[Math.floor(number / POSTS_IN_A_PIECE)];
  const post = piece?.[number % POSTS_IN_A_PIECE];
  return piece && post !== undefined
    ? list.with(Math.floor(number / POSTS_IN_A_PIECE), piece.with(number % POSTS_IN_A_PIECE, change(post)))
    : list;
}

/** Whether any post is such a one. */
export function somePost<Post>(list: PostList<Post>, is: (post: Post) => boolean): boolean {
  return list.some((piece) => piece.some(is));
}
