import * as z from 'zod/mini';
import { registerBody } from '../api/component.ts';
import { SUBJECT_KINDS } from '../moderation/subject.ts';
import { optionalText } from '../text-fields.ts';

/** Reports about content. A login is not required. */

export const REPORT_REASONS = ['under_age', 'forced', 'my_content', 'stolen', 'illegal', 'spam', 'other'] as const;
/**
 * All reasons of reports. Only the product itself uses `known_image`, for an upload that is known to be illegal
 * (decision 0047), and `review_wave`, for several reviews of one ad by new accounts.
 */
export const ALL_REPORT_REASONS = [...REPORT_REASONS, 'known_image', 'review_wave'] as const;
export type ReportReason = (typeof ALL_REPORT_REASONS)[number];

/** Reasons of reports that hide the reported content until a moderator has decided. */
export const HIDING_REASONS: readonly ReportReason[] = ['under_age', 'forced', 'my_content'];

/** Reasons of reports that give a moderation case a high priority. */
export const URGENT_REASONS: readonly ReportReason[] = [...HIDING_REASONS, 'known_image'];

const REPORT_SUBJECTS = SUBJECT_KINDS;
export const REPORT_DETAILS_MAX = 2_000;

/** The pattern for the reference number that a reporter receives, e.g. `R-1C6T2M4XA07KQ2M`. */
export const REPORT_REFERENCE = /^R-[0-9A-Z]{8,15}$/u;

const NO_SUBJECT = 'Please choose what to report';

/**
 * Request body of `POST /reports`. The id of a post consists of the id of its thread, a hyphen and the number of the
 * post. The id of an article is its slug.
 */
export const newReportFields = registerBody('NewReport', {
  subject: z.object(
    {
      kind: z.enum(REPORT_SUBJECTS, NO_SUBJECT),
      id: z.string(NO_SUBJECT).check(z.minLength(1, NO_SUBJECT), z.maxLength(100, NO_SUBJECT)),
    },
    NO_SUBJECT,
  ),
  reason: z.enum(REPORT_REASONS, 'Please choose a reason'),
  text: z._default(optionalText('Details', REPORT_DETAILS_MAX), null),
});
export type NewReport = z.output<typeof newReportFields>;
