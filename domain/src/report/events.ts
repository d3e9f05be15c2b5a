import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { storedReportReason, storedStreamId, storedSubject } from '../stored-ids.ts';

export const reportEvents = [
  /**
   * A person reports content. `text` is encrypted with the key of the reporter. If the reporter is not signed in, the
   * key of the content's owner is used, because the text may name the owner. `evidence` identifies the reported version
   * of the content, which results from the events of `stream` up to `revision`. `evidence` is null for reports of
   * version 1.
   */
  defineEvent('ReportFiled', {
    version: 3,
    schema: z.object({
      reportId: z.string(),
      reporterId: z.nullable(z.string()),
      /**
       * The account that owns the content. Null for content of the operator of the site, and for reports of earlier
       * versions.
       */
      ownerId: z.nullable(z.string()),
      subject: storedSubject,
      reason: storedReportReason,
      text: z.nullable(z.string()),
      evidence: z.nullable(z.object({ stream: storedStreamId, revision: z.number() })),
      /** Decides whether the report hides the content (`weight.ts`). Absent for the full weight. */
      weight: z.optional(z.number()),
    }),
    personalFields: { text: null },
    secretFields: [],
    moderationLog: 'always',
    disclosedTo: { accountIn: 'reporterId' },
    getSubjectId: (data: { reporterId: string | null; ownerId: string | null }) => data.reporterId ?? data.ownerId,
    upcasters: {
      1: (data) => {
        // Version 1 stores the text in the field `details`. After an erasure, an event of version 1 has no field
        // `details`. Its field `text` contains the replacement value, which therefore takes precedence.
        const { details = null, ...rest } = data as { readonly details?: string | null };
        return { text: details, ...rest, evidence: null };
      },
      2: (data) => ({ ...(data as object), ownerId: null }),
    },
  }),
] as const;
export type ReportEvent = EventFromDefinition<(typeof reportEvents)[number]>;
