import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { storedStreamId, storedSubject } from '../stored-ids.ts';

export const reportEvents = [
  /**
   * A person reports content. `text` is sealed with the key of the reporter. Without a login, it is sealed with the key
   * of the content owner, because the text may name the owner. `evidence` is the reported version of the content. It
   * results from the events of `stream` up to `revision`. It is null for reports of version 1.
   */
  defineEvent('ReportFiled', {
    version: 3,
    schema: z.object({
      reportId: z.string(),
      reporterId: z.nullable(z.string()),
      /** The owner of the content. Null for content of the operator and for reports of earlier versions. */
      ownerId: z.nullable(z.string()),
      subject: storedSubject,
      reason: z.enum(['under_age', 'forced', 'my_content', 'stolen', 'illegal', 'spam', 'other', 'known_image']),
      text: z.nullable(z.string()),
      evidence: z.nullable(z.object({ stream: storedStreamId, revision: z.number() })),
    }),
    personalFields: { text: null },
    secretFields: [],
    moderationLog: 'always',
    disclosedTo: { accountIn: 'reporterId' },
    getSubjectId: (data: { reporterId: string | null; ownerId: string | null }) => data.reporterId ?? data.ownerId,
    upcasters: {
      1: (data) => {
        // In an erased event, the original field `details` is missing. Only the current field `text` exists, with its
        // replacement value, which takes precedence.
        const { details = null, ...rest } = data as { readonly details?: string | null };
        return { text: details, ...rest, evidence: null };
      },
      2: (data) => ({ ...(data as object), ownerId: null }),
    },
  }),
] as const;
export type ReportEvent = EventFromDefinition<(typeof reportEvents)[number]>;
