import type { Aggregate } from '../aggregate.ts';
import { postIdOf } from '../thread/post-id.ts';
import { helpfulEvents, type HelpfulEvent } from './events.ts';

/** The posts one account found helpful. */
export interface HelpfulState {
  readonly count: number;
  /** Post ids, in 256 parts, so that a mark among thousands does not copy all of them. */
  readonly parts: Readonly<Record<string, ReadonlySet<string>>>;
}

/** By the random end of the thread's id and by the post's number: marks may all be in one thread, or each in another. */
const partOf = (threadId: string, number: number) => `${threadId.slice(-1)}${(number % 16).toString(16)}`;

/** Whether the post is marked. */
export function isMarked({ parts }: HelpfulState, threadId: string, number: number): boolean {
  return parts[partOf(threadId, number)]?.has(postIdOf(threadId, number)) ?? false;
}

function evolve(state: HelpfulState, { type, data: { threadId, number } }: HelpfulEvent): HelpfulState {
  const part = partOf(threadId, number);
  const next = new Set(state.parts[part]);
  const before = next.size;
  if (type === 'PostMarkedHelpful') next.add(postIdOf(threadId, number));
  else next.delete(postIdOf(threadId, number));
  return { count: state.count + next.size - before, parts: { ...state.parts, [part]: next } };
}

export const helpful: Aggregate<HelpfulState, HelpfulEvent> = {
  name: 'helpful',
  initial: { count: 0, parts: {} },
  evolve,
  definitions: helpfulEvents,
};
