import type { Aggregate } from '../aggregate.ts';
import { toPostId, type PostId } from '../thread/post-id.ts';
import { helpfulEvents, type HelpfulEvent } from './events.ts';

/** The posts that one account has marked as helpful. */
export interface HelpfulState {
  readonly count: number;
  /**
   * Ids of the marked posts, divided into 256 partitions. The state is immutable, so a new mark copies one partition
   * instead of thousands of ids.
   */
  readonly partitions: Readonly<Record<string, ReadonlySet<PostId>>>;
}

/**
 * Returns the partition of a post. The partition depends on the last character of the thread id, which is random, and
 * on the post number. Marks are therefore distributed evenly, whether they are in one thread or in many.
 */
const partOf = (threadId: string, number: number) => `${threadId.slice(-1)}${(number % 16).toString(16)}`;

/** Checks whether the account has marked the post as helpful. */
export function isMarkedHelpful({ partitions }: HelpfulState, threadId: string, number: number): boolean {
  return partitions[partOf(threadId, number)]?.has(toPostId(threadId, number)) ?? false;
}

function evolve(state: HelpfulState, { type, data: { threadId, number } }: HelpfulEvent): HelpfulState {
  const part = partOf(threadId, number);
  const next = new Set(state.partitions[part]);
  const before = next.size;
  if (type === 'PostMarkedHelpful') next.add(toPostId(threadId, number));
  else next.delete(toPostId(threadId, number));
  return { count: state.count + next.size - before, partitions: { ...state.partitions, [part]: next } };
}

export const helpful: Aggregate<HelpfulState, HelpfulEvent> = {
  name: 'helpful',
  initial: { count: 0, partitions: {} },
  evolve,
  eventDefinitions: helpfulEvents,
};
