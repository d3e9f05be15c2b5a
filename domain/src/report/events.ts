import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

/**
 * Somebody says that something is wrong. `text` is their words, sealed with their key, or with that of whom it is about where they were not signed in: it may name
 * them. `evidence` is the version they saw: a stream as it stood after its event of this revision, null of reports filed before that was kept.
 */
export const ReportFiled = defineEvent('ReportFiled', {
  version: 3,
  schema: z.object({
    reportId: z.string(),
    reporterId: z.nullable(z.string()),
    /** Whose content it is; null of what belongs to the house, and of reports filed before it was kept. */
    ownerId: z.nullable(z.string()),
    subject: z.object({ kind: z.enum(['ad', 'media', 'account', 'thread', 'post', 'article']), id: z.string() }),
    reason: z.enum(['under_age', 'forced', 'my_content', 'stolen', 'illegal', 'spam', 'other', 'known_image']),
    text: z.nullable(z.string()),
    evidence: z.nullable(z.object({ stream: z.string(), revision: z.number() })),
  }),
  personal: { text: null },
  subjectOf: (data: { reporterId: string | null; ownerId: string | null }) => data.reporterId ?? data.ownerId,
  upcasts: {
    1: (data) => {
      // An erased one has the replacement of today's field, and none of the field it was written with.
      const { details = null, ...rest } = data as { readonly details?: string | null };
      return { text: details, ...rest, evidence: null };
    },
    2: (data) => ({ ...(data as object), ownerId: null }),
  },
});

export const reportEvents = [ReportFiled] as const;
export type ReportEvent = EventOf<(typeof reportEvents)[number]>;
