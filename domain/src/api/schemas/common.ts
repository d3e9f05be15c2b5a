import * as z from 'zod/mini';

/** What the schemas of all answers are made of. Every property is always there: "none" is null. */

/** The schema with words for the document, for people who read it. */
export function said<Schema extends z.ZodMiniType>(schema: Schema, words: string): Schema {
  return schema.check(z.describe(words));
}

export const done = z.literal(true);
export const time = z.iso.datetime();
export const count = z.int().check(z.nonnegative());
export const flag = z.boolean();
/** Words for whoever reads the answer; programs look at `code` or at the status. */
export const message = said(z.string(), 'Words for people.');
export const nextCursor = said(
  z.nullable(z.string()),
  'What to hand back as `cursor` for the next page; null on the last one.',
);
export const total = said(
  z.nullable(count),
  'How many there are on all pages; null where counting would take too long.',
);

/** Answer of a call that has nothing to tell but that it was done. */
export const doneAnswer = z.object({ success: done, message });
