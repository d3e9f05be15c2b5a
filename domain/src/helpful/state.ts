import type { Aggregate } from '../aggregate.ts';
import { toPostId, type PostId } from '../thread/post-id.ts';
import { helpfulEvents, type HelpfulEvent } from './events.ts';

/** The posts that one account has marked as helpful. */
export interface HelpfulState {
  /**
   * The marked posts with the times of the marks, divided into 256 partitions. The state is immutable, so a new mark
   * copies one partition instead of thousands of ids.
   */
  readonly partitions: Readonly<Record<string, ReadonlyMap<PostId, string>>>;
}

/**
 * Returns the partition of a post. The partition depends on the last character of the thread id, which is random, and
 * on the post number. Marks are therefore distributed evenly, whether they are in one thread or in many.
 */
const partOf = (threadId: string, number: number) => `${threadId.slice(-1)}${(number % 16).toString(16)}`;

/**
 * Checks whether the account that registered at `registeredAt` has marked the post as helpful. After an
 * account is closed, a new account with the same e-mail address has the same id, but not the marks of the closed
 * account.
 */
export function isMarkedHelpful(
  { partitions }: HelpfulState,
  {
    threadId,
    number,
    registeredAt,
  }: { readonly threadId: string; readonly number: number; readonly registeredAt: string },
): boolean {
  const markedAt = partitions[partOf(threadId, number)]?.get(toPostId(threadId, number));
  return markedAt !== undefined && markedAt >= registeredAt;
}

/** Counts the marks of the account that registered at `registeredAt`. */
export function countMarks({ partitions }: HelpfulState, registeredAt: string): number {
  let count = 0;
  for (const part of Object.values(partitions))
    for (const markedAt of part.values()) if (markedAt >= registeredAt) count += 1;
  return count;
}

function evolve(state: HelpfulState, { type, data: { threadId, number } }: HelpfulEvent, at: string): HelpfulState {
  const part = partOf(threadId, number);
  const next = new Map(state.partitions[part]);
  if (type === 'PostMarkedHelpful') next.set(toPostId(threadId, number), at);
  else next.delete(toPostId(threadId, number));
  return { partitions: { ...state.partitions, [part]: next } };
}

export const helpful: Aggregate<HelpfulState, HelpfulEvent> = {
  name: 'helpful',
  initial: { partitions: {} },
  evolve,
  eventDefinitions: helpfulEvents,
};
