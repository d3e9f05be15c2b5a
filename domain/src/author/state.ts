import type { Aggregate } from '../aggregate.ts';
import { POSTS_PER_HOUR } from '../constants.ts';
import { authorEvents, type AuthorEvent } from './events.ts';

export interface Admission {
  readonly admissionId: string;
  readonly threadId: string;
  readonly fingerprint: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The recent posts of an account, for the rate limits and the search for duplicates. */
export interface AuthorState {
  /** The recent admissions in chronological order, so the last entry is the newest. */
  readonly recentAdmissions: readonly Admission[];
}

/** Maximum number of stored admissions. It exceeds the hourly limit, so that the limit can be checked. */
const RECENT_MAX = POSTS_PER_HOUR.account * 4;

function evolve(
  { recentAdmissions }: AuthorState,
  { data: { admissionId, threadId, fingerprint } }: AuthorEvent,
  at: string,
): AuthorState {
  return { recentAdmissions: [...recentAdmissions.slice(1 - RECENT_MAX), { admissionId, threadId, fingerprint, at }] };
}

/**
 * The recent admissions of one account. Each account has one stream, so the limits also apply to posts that arrive at
 * the same time.
 */
export const author: Aggregate<AuthorState, AuthorEvent> = {
  name: 'author',
  initial: { recentAdmissions: [] },
  evolve,
  eventDefinitions: authorEvents,
};
