import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const ids = { accountId: z.string(), threadId: z.string() };

/** Followed anew, or mailed otherwise from now on. */
export const ThreadFollowed = defineEvent('ThreadFollowed', {
  version: 1,
  schema: z.object({ ...ids, mail: z.enum(['instant', 'daily', 'off']) }),
});

export const ThreadUnfollowed = defineEvent('ThreadUnfollowed', { version: 1, schema: z.object(ids) });

export const followsEvents = [ThreadFollowed, ThreadUnfollowed] as const;
export type FollowsEvent = EventOf<(typeof followsEvents)[number]>;
