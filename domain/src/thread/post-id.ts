/** A post's id: its thread's, and its number in it. */
export function postIdOf(threadId: string, number: number): string {
  return `${threadId}-${number}`;
}

const POST_ID = /^(?<threadId>[0-9a-f-]{36})-(?<number>\d{1,7})$/u;

/** The thread and the number a post id is made of; null when it is none. */
export function partsOfPostId(postId: string): { readonly threadId: string; readonly number: number } | null {
  const { threadId, number } = POST_ID.exec(postId)?.groups ?? {};
  return threadId === undefined || number === undefined ? null : { threadId, number: Number(number) };
}
