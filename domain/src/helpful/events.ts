import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { ownRecord } from '../event-policies.ts';

const ids = { accountId: z.string(), threadId: z.string(), number: z.number() };

export const helpfulEvents = [
  defineEvent('PostMarkedHelpful', { version: 1, ...ownRecord, schema: z.object(ids) }),
  /** The account has removed its helpful mark from the post. */
  defineEvent('PostUnmarkedHelpful', { version: 1, ...ownRecord, schema: z.object(ids) }),
] as const;
export type HelpfulEvent = EventFromDefinition<(typeof helpfulEvents)[number]>;
