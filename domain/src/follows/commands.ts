import type { FollowMailMode } from './fields.ts';

export interface FollowThread {
  readonly accountId: string;
  /** The id of an existing thread. */
  readonly threadId: string;
  readonly mail: FollowMailMode;
}

export interface UnfollowThread {
  readonly accountId: string;
  readonly threadId: string;
}

export interface StopFollowMails {
  readonly accountId: string;
  /** Id of the thread. Null means all threads that the account follows. */
  readonly threadId: string | null;
}

export interface UnfollowAllThreads {
  readonly accountId: string;
}
