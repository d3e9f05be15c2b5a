import * as z from 'zod/mini';

/**
 * Schemas of the ids in stored events. The schemas check only that an id is a text, because a stricter rule would make
 * stored events unreadable.
 */

export const storedCaseId = z.string().brand<'CaseId'>();
export const storedStreamId = z.string().brand<'StreamId'>();

/** The content or account that a report or a moderation decision is about. */
export const storedSubject = z.union([
  z.object({ kind: z.literal('post'), id: z.string().brand<'PostId'>() }),
  z.object({ kind: z.enum(['ad', 'media', 'account', 'thread', 'article']), id: z.string() }),
]);

/** The reason of a report, as events contain it. */
export const storedReportReason = z.enum([
  'under_age',
  'forced',
  'my_content',
  'stolen',
  'illegal',
  'spam',
  'other',
  'known_image',
  'known_copy',
  'review_wave',
  'removal_request',
]);
