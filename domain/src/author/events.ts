import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { sealed } from '../event-policies.ts';

export const authorEvents = [
  /**
   * The account is permitted to post the text with this fingerprint to the thread. A later event of the thread records
   * the post.
   */
  defineEvent('PostAdmitted', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId: z.string(), admissionId: z.string(), threadId: z.string(), fingerprint: z.string() }),
    personalFields: { fingerprint: '' },
    secretFields: ['fingerprint'],
  }),
] as const;
export type AuthorEvent = EventFromDefinition<(typeof authorEvents)[number]>;
