import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { ownRecord } from '../event-policies.ts';

export const consentEvents = [
  /**
   * A person made a choice about a consent text, e.g. about cookies. `subjectId` is the id of an account, or a random
   * id that the browser of a visitor creates. Neither of these ids identifies a person.
   */
  defineEvent('ConsentRecorded', {
    version: 1,
    ...ownRecord,
    schema: z.object({
      subjectId: z.string(),
      kind: z.enum(['age_gate', 'guidelines', 'cookies']),
      textVersion: z.number(),
      choice: z.enum(['accepted', 'essential', 'all']),
    }),
  }),
] as const;
export type ConsentEvent = EventFromDefinition<(typeof consentEvents)[number]>;
