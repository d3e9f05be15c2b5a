import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const ids = { accountId: z.string(), threadId: z.string(), number: z.number() };

export const PostMarkedHelpful = defineEvent('PostMarkedHelpful', { version: 1, schema: z.object(ids) });

/** Taken back. */
export const PostUnmarkedHelpful = defineEvent('PostUnmarkedHelpful', { version: 1, schema: z.object(ids) });

export const helpfulEvents = [PostMarkedHelpful, PostUnmarkedHelpful] as const;
export type HelpfulEvent = EventOf<(typeof helpfulEvents)[number]>;
