import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/** Somebody was shown a text and has chosen. `subjectId` is an account's id, or one a visitor's browser has made up; neither names a person. */
export const ConsentRecorded = defineEvent('ConsentRecorded', {
  version: 1,
  schema: z.object({
    subjectId: z.string(),
    kind: z.enum(['age_gate', 'guidelines', 'cookies']),
    textVersion: z.number(),
    choice: z.enum(['accepted', 'essential', 'all']),
  }),
});

export const consentEvents = [ConsentRecorded] as const;
export type ConsentEvent = EventOf<(typeof consentEvents)[number]>;
