import type { Decider } from '../aggregate.ts';
import { MAX_HELPFUL_MARKS } from '../constants.ts';
import { DomainError } from '../error-catalogue.ts';
import type { MarkHelpful, UnmarkHelpful } from './commands.ts';
import type { HelpfulEvent } from './events.ts';
import { countMarks, isMarkedHelpful, type HelpfulState } from './state.ts';

/** Marks a post as helpful. Idempotent. Throws VERIFICATION_REQUIRED, OWN_POST and TOO_MANY_MARKS. */
export const markHelpful: Decider<MarkHelpful, HelpfulState, HelpfulEvent> = (
  { accountId, registeredAt, emailVerified, threadId, number, authorId },
  state,
) => {
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (accountId === authorId) throw new DomainError('OWN_POST');
  if (isMarkedHelpful(state, { threadId, number, registeredAt })) return [];
  if (countMarks(state, registeredAt) >= MAX_HELPFUL_MARKS)
    throw new DomainError('TOO_MANY_MARKS', { max: MAX_HELPFUL_MARKS });
  return [{ type: 'PostMarkedHelpful', data: { accountId, threadId, number } }];
};

/** Removes the helpful mark of an account from a post. Does nothing if there is no mark. */
export const unmarkHelpful: Decider<UnmarkHelpful, HelpfulState, HelpfulEvent> = (
  { accountId, registeredAt, threadId, number },
  state,
) => {
  return isMarkedHelpful(state, { threadId, number, registeredAt })
    ? [{ type: 'PostUnmarkedHelpful', data: { accountId, threadId, number } }]
    : [];
};
