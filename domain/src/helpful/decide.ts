import { MAX_HELPFUL_MARKS } from '../constants.ts';
import { DomainError } from '../errors.ts';
import type { HelpfulEvent } from './events.ts';
import { isMarked, type HelpfulState } from './state.ts';

export interface MarkPost {
  readonly accountId: string;
  readonly emailVerified: boolean;
  readonly threadId: string;
  readonly number: number;
  /** Whose post it is; it is known to be there. */
  readonly authorId: string;
}

/** Marks a post as helpful, once. Refuses with VERIFICATION_REQUIRED, OWN_POST, TOO_MANY_MARKS. */
export function markHelpful(
  { accountId, emailVerified, threadId, number, authorId }: MarkPost,
  state: HelpfulState,
): readonly HelpfulEvent[] {
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (accountId === authorId) throw new DomainError('OWN_POST');
  if (isMarked(state, threadId, number)) return [];
  if (state.count >= MAX_HELPFUL_MARKS) throw new DomainError('TOO_MANY_MARKS', { max: MAX_HELPFUL_MARKS });
  return [{ type: 'PostMarkedHelpful', data: { accountId, threadId, number } }];
}

/** Takes the mark back. Nothing happens when there is none. */
export function unmarkHelpful(
  { accountId, threadId, number }: Pick<MarkPost, 'accountId' | 'threadId' | 'number'>,
  state: HelpfulState,
): readonly HelpfulEvent[] {
  return isMarked(state, threadId, number)
    ? [{ type: 'PostUnmarkedHelpful', data: { accountId, threadId, number } }]
    : [];
}
