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

/** What an account has posted lately: what its limits and the search for duplicates need. */
export interface AuthorState {
  /** The last one is the newest. */
  readonly recent: readonly Admission[];
}

/** More than an hour's limit, so that the limit can be told. */
const MOST_RECENT = POSTS_PER_HOUR.account * 4;

function evolve(
  { recent }: AuthorState,
  { data: { admissionId, threadId, fingerprint } }: AuthorEvent,
  at: string,
): AuthorState {
  return { recent: [...recent.slice(1 - MOST_RECENT), { admissionId, threadId, fingerprint, at }] };
}

/** Somebody who posts in the community: the stream that keeps their posts within the limits, however many arrive at once. */
export const author: Aggregate<AuthorState, AuthorEvent> = {
  name: 'author',
  initial: { recent: [] },
  evolve,
  definitions: authorEvents,
};
