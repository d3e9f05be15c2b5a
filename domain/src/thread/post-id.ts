import type { Branded } from '../branded.ts';

/** The id of a post: the id of its thread, a hyphen, and the number of the post in the thread. */
export type PostId = Branded<'PostId'>;

export function toPostId(threadId: string, number: number): PostId {
  return `${threadId}-${number}` as PostId;
}

const POST_ID = /^(?<threadId>[0-9a-f-]{36})-(?<number>\d{1,7})$/u;

/** Parses a post id. Returns null if the text is not a post id. */
export function parsePostId(postId: string): { readonly threadId: string; readonly number: number } | null {
  const { threadId, number } = POST_ID.exec(postId)?.groups ?? {};
  return threadId === undefined || number === undefined ? null : { threadId, number: Number(number) };
}
