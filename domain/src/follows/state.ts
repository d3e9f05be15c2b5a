import type { Aggregate } from '../aggregate.ts';
import { followsEvents, type FollowsEvent } from './events.ts';
import type { FollowMailMode } from './fields.ts';

/** The threads that one account follows. */
export interface FollowsState {
  readonly threads: Readonly<Record<string, FollowMailMode>>;
}

function evolve({ threads }: FollowsState, event: FollowsEvent): FollowsState {
  const { threadId } = event.data;
  switch (event.type) {
    case 'ThreadFollowed':
      return { threads: { ...threads, [threadId]: event.data.mail } };
    case 'ThreadUnfollowed': {
      const { [threadId]: _removed, ...others } = threads;
      return { threads: others };
    }
  }
}

export const follows: Aggregate<FollowsState, FollowsEvent> = {
  name: 'follows',
  initial: { threads: {} },
  evolve,
  eventDefinitions: followsEvents,
};
