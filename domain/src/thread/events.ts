import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const ofThread = { threadId: z.string() };
/** The account that wrote it, whose key seals its words. */
const ofPost = { ...ofThread, number: z.number(), accountId: z.string() };
const subjectOf = (data: { accountId: string }) => data.accountId;
const place = { country: z.string(), state: z.string(), city: z.string() };
/** Words as Markdown, and a hash of them that the same words have again. */
const words = { body: z.string(), fingerprint: z.string() };
const noWords = { body: '', fingerprint: '' };
/** The admission it was posted under (`author/events.ts`). */
const admission = { admissionId: z.string() };

/** The opening post, number 0, is part of it. */
export const ThreadStarted = defineEvent('ThreadStarted', {
  version: 1,
  schema: z.object({ ...ofThread, accountId: z.string(), ...admission, ...place, title: z.string(), ...words }),
  personal: { title: '', ...noWords },
  subjectOf,
});

export const ReplyPosted = defineEvent('ReplyPosted', {
  version: 1,
  schema: z.object({
    ...ofPost,
    ...admission,
    ...words,
    /** Of the post it answers to. */ quotedNumber: z.nullable(z.number()),
  }),
  personal: noWords,
  subjectOf,
});

/** Its author has changed it; `title` is there for an opening post whose title has changed. */
export const PostEdited = defineEvent('PostEdited', {
  version: 1,
  schema: z.object({ ...ofPost, title: z.optional(z.string()), ...words }),
  personal: { title: undefined, ...noWords },
  subjectOf,
});

/** Its author has deleted it. Its place in the thread stays. */
export const PostDeleted = defineEvent('PostDeleted', { version: 1, schema: z.object(ofPost) });

/** Nobody but moderators sees it until it is restored. An opening post takes its thread along. */
export const PostHidden = defineEvent('PostHidden', {
  version: 2,
  schema: z.object({
    ...ofPost,
    /** By whose doing: a moderator's, or a report's that asks for it to be hidden until decided. */ by: z.enum([
      'moderator',
      'report',
    ]),
    reason: z.nullable(z.string()),
  }),
  personal: { reason: null },
  subjectOf,
  // Reasons were stored readable before; the shape is the same.
  upcasts: { 1: (data) => data },
});

export const PostRestored = defineEvent('PostRestored', { version: 1, schema: z.object(ofPost) });

/** Nobody but moderators replies or edits. */
export const ThreadLocked = defineEvent('ThreadLocked', { version: 1, schema: z.object(ofThread) });
export const ThreadUnlocked = defineEvent('ThreadUnlocked', { version: 1, schema: z.object(ofThread) });

/** It stands first in the list of its city. */
export const ThreadPinned = defineEvent('ThreadPinned', { version: 1, schema: z.object(ofThread) });
export const ThreadUnpinned = defineEvent('ThreadUnpinned', { version: 1, schema: z.object(ofThread) });

export const ThreadMoved = defineEvent('ThreadMoved', { version: 1, schema: z.object({ ...ofThread, ...place }) });

export const threadEvents = [
  ThreadStarted,
  ReplyPosted,
  PostEdited,
  PostDeleted,
  PostHidden,
  PostRestored,
  ThreadLocked,
  ThreadUnlocked,
  ThreadPinned,
  ThreadUnpinned,
  ThreadMoved,
] as const;
export type ThreadEvent = EventOf<(typeof threadEvents)[number]>;
