import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { ownRecord } from '../event-policies.ts';

const ids = { accountId: z.string(), threadId: z.string() };

export const followsEvents = [
  /** The account follows a thread, or has changed the mail setting of a followed thread. */
  defineEvent('ThreadFollowed', {
    version: 1,
    ...ownRecord,
    schema: z.object({ ...ids, mail: z.enum(['instant', 'daily', 'off']) }),
  }),
  defineEvent('ThreadUnfollowed', { version: 1, ...ownRecord, schema: z.object(ids) }),
] as const;
export type FollowsEvent = EventFromDefinition<(typeof followsEvents)[number]>;
