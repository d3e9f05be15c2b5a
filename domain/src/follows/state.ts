import type { Aggregate } from '../aggregate.ts';
import { followsEvents, type FollowsEvent } from './events.ts';
import type { FollowMail } from './fields.ts';

/** The threads one account follows. */
export interface FollowsState {
  readonly threads: Readonly<Record<string, FollowMail>>;
}

function evolve({ threads }: FollowsState, event: FollowsEvent): FollowsState {
  const { threadId } = event.data;
  switch (event.type) {
    case 'ThreadFollowed':
      return { threads: { ...threads, [threadId]: event.data.mail } };
    case 'ThreadUnfollowed': {
      const { [threadId]: _left, ...others } = threads;
      return { threads: others };
    }
  }
}

export const follows: Aggregate<FollowsState, FollowsEvent> = {
  name: 'follows',
  initial: { threads: {} },
  evolve,
  definitions: followsEvents,
};
