import * as z from 'zod/mini';

/**
 * Schemas of the ids in stored events. They check only that the value is a text, because a stricter rule would
 * make stored events unreadable.
 */

export const storedCaseId = z.string().brand<'CaseId'>();
export const storedStreamId = z.string().brand<'StreamId'>();

/** The subject of a report or a decision. */
export const storedSubject = z.union([
  z.object({ kind: z.literal('post'), id: z.string().brand<'PostId'>() }),
  z.object({ kind: z.enum(['ad', 'media', 'account', 'thread', 'article']), id: z.string() }),
]);
