import type { Aggregate } from '../aggregate.ts';
import { POSTS_PER_HOUR } from '../constants.ts';
import { authorEvents, type AuthorEvent } from './events.ts';

export interface Admission {
  readonly admissionId: string;
  readonly threadId: string;
  readonly fingerprint: string;
  /** The time of the admission, in ISO 8601. */
  readonly at: string;
}

/** The recent posts of an account, from which its rate limits and duplicate texts are determined. */
export interface AuthorState {
  /**
   * The recent admissions, i.e. permissions to post a text, in chronological order. The newest admission is the last
   * entry.
   */
  readonly recentAdmissions: readonly Admission[];
}

/**
 * Maximum number of stored admissions, i.e. permissions to post a text. It exceeds the number of posts that are allowed
 * per hour, so that the hourly limit can be checked.
 */
const RECENT_MAX = POSTS_PER_HOUR.account * 4;

function evolve(
  { recentAdmissions }: AuthorState,
  { data: { admissionId, threadId, fingerprint } }: AuthorEvent,
  at: string,
): AuthorState {
  return { recentAdmissions: [...recentAdmissions.slice(1 - RECENT_MAX), { admissionId, threadId, fingerprint, at }] };
}

/**
 * The recent permissions of one account to post a text. All of them are in one stream per account, so the limits also
 * apply to posts that arrive at the same time.
 */
export const author: Aggregate<AuthorState, AuthorEvent> = {
  name: 'author',
  initial: { recentAdmissions: [] },
  evolve,
  eventDefinitions: authorEvents,
};
