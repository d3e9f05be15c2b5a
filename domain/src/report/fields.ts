import * as z from 'zod/mini';
import { SUBJECT_KINDS } from '../moderation/subject.ts';
import { optionalText } from '../text-fields.ts';

/** Reports (design, trust and privacy): what anybody may say is wrong with something, without a login. */

export const REPORT_REASONS = ['under_age', 'forced', 'my_content', 'stolen', 'illegal', 'spam', 'other'] as const;
/** Beside those, what nobody chooses: a picture somebody uploaded is known to be illegal (decision 0047). */
export const ALL_REPORT_REASONS = [...REPORT_REASONS, 'known_image'] as const;
export type ReportReason = (typeof ALL_REPORT_REASONS)[number];

/** Reasons that hide what is reported at once, until a moderator has decided. */
export const HIDING_REASONS: readonly ReportReason[] = ['under_age', 'forced', 'my_content'];

/** Reasons that come first in the queue. */
export const URGENT_REASONS: readonly ReportReason[] = [...HIDING_REASONS, 'known_image'];

export const REPORT_SUBJECTS = SUBJECT_KINDS;
export const REPORT_DETAILS_MAX = 2_000;

/** What a report's reference looks like: `R-07KQ2M4XA`. */
export const REPORT_REFERENCE = /^R-[0-9A-Z]{8,12}$/u;

const NO_SUBJECT = 'What do you report?';

/** `POST /reports`. The id of a post is its thread's, a hyphen and its number; that of an article its slug. */
export const newReport = z.object({
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
export type NewReport = z.output<typeof newReport>;
