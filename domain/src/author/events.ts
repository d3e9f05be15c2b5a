import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** The words with this fingerprint may be posted to this thread. The post itself is an event of the thread, which follows. */
export const PostAdmitted = defineEvent('PostAdmitted', {
  version: 1,
  schema: z.object({ accountId: z.string(), admissionId: z.string(), threadId: z.string(), fingerprint: z.string() }),
  personal: { fingerprint: '' },
  subjectOf: (data: { accountId: string }) => data.accountId,
});

export const authorEvents = [PostAdmitted] as const;
export type AuthorEvent = EventOf<(typeof authorEvents)[number]>;
