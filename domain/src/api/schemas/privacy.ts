import * as z from 'zod/mini';
import { count, done, nextCursor, said, time } from './common.ts';

/** One read of people's personal data by a member of staff. */
export const staffReadView = z.object({
  id: z.string(),
  at: time,
  staffId: z.string(),
  what: said(z.string(), 'The operation that showed it.'),
  subjectId: said(z.nullable(z.string()), 'Whose or what it was; null for a list of several.'),
  people: said(count, 'How many people’s data were in the answer.'),
  requestId: z.string(),
});

export const staffReadsAnswer = z.object({ success: done, data: z.array(staffReadView), nextCursor });
