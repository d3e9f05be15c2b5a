import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { internal, logged, loggedWithReason, sealed } from '../event-policies.ts';

const threadIds = { threadId: z.string() };
/**
 * The ids of a post. `accountId` is the account of the author. The text of the post is encrypted with the key of this
 * account.
 */
const postIds = { ...threadIds, number: z.number(), accountId: z.string() };
const place = { country: z.string(), state: z.string(), city: z.string() };
/**
 * The Markdown text of a post, and the fingerprint of the text. Texts that differ only in spaces, punctuation or upper
 * and lower case have the same fingerprint.
 */
const words = { body: z.string(), fingerprint: z.string() };
const noWords = { body: '', fingerprint: '' };
/** Id of the admission, which permits the author to post this text (`author/events.ts`). */
const admission = { admissionId: z.string() };

export const threadEvents = [
  /** A new thread. The event includes the opening post, which has the number 0. */
  defineEvent('ThreadStarted', {
    version: 1,
    ...sealed,
    schema: z.object({ ...threadIds, accountId: z.string(), ...admission, ...place, title: z.string(), ...words }),
    personalFields: { title: '', ...noWords },
    secretFields: ['fingerprint'],
  }),
  defineEvent('ReplyPosted', {
    version: 1,
    ...sealed,
    schema: z.object({
      ...postIds,
      ...admission,
      ...words,
      /** Number of the quoted post. */
      quotedNumber: z.nullable(z.number()),
    }),
    personalFields: noWords,
    secretFields: ['fingerprint'],
  }),
  /** The author changed the post. `title` is present if the title of an opening post has changed. */
  defineEvent('PostEdited', {
    version: 1,
    ...sealed,
    schema: z.object({ ...postIds, title: z.optional(z.string()), ...words }),
    personalFields: { title: undefined, ...noWords },
    secretFields: ['fingerprint'],
  }),
  /** The author deleted the post. The post keeps its number in the thread. */
  defineEvent('PostDeleted', { version: 1, ...internal, schema: z.object(postIds) }),
  /**
   * The post is hidden: only moderators and its author can read it until it is restored. Hiding an opening post hides
   * its thread.
   */
  defineEvent('PostHidden', {
    version: 2,
    ...loggedWithReason,
    schema: z.object({
      ...postIds,
      /** `report`: a report hides the post until a moderator has decided. */
      by: z.enum(['moderator', 'report']),
      reason: z.nullable(z.string()),
    }),
    // Version 1 stored the reason unencrypted. The data has the same shape, so no conversion is needed.
    upcasters: { 1: (data) => data },
  }),
  defineEvent('PostRestored', { version: 1, ...logged, schema: z.object(postIds) }),
  /** The thread is locked: only moderators can reply and edit. */
  defineEvent('ThreadLocked', { version: 1, ...logged, schema: z.object(threadIds) }),
  defineEvent('ThreadUnlocked', { version: 1, ...logged, schema: z.object(threadIds) }),
  /** The thread is pinned: it is the first one in the list of its city. */
  defineEvent('ThreadPinned', { version: 1, ...logged, schema: z.object(threadIds) }),
  defineEvent('ThreadUnpinned', { version: 1, ...logged, schema: z.object(threadIds) }),
  defineEvent('ThreadMoved', { version: 1, ...logged, schema: z.object({ ...threadIds, ...place }) }),
] as const;
export type ThreadEvent = EventFromDefinition<(typeof threadEvents)[number]>;
