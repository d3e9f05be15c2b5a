import * as z from 'zod/mini';
import { CATEGORIES } from '../../listing/categories.ts';
import { APPEAL_OUTCOMES, CASE_PRIORITIES, OUTCOMES } from '../../moderation/fields.ts';
import { HOUSE_RULE_IDS } from '../../moderation/rules.ts';
import { SUBJECT_KINDS } from '../../moderation/subject.ts';
import { ALL_REPORT_REASONS } from '../../report/fields.ts';
import { inclusionProofView } from './audit.ts';
import { count, done, flag, message, nextCursor, said, time, total } from './common.ts';

/** Reports, cases, decisions with their statements of reasons, appeals. */

const subject = z.object({
  kind: z.enum(SUBJECT_KINDS),
  id: said(
    z.string(),
    'Of the ad, media, account or thread; of a post its thread’s, a hyphen and its number; of an article its slug.',
  ),
});
const rule = z.object({ id: z.enum(HOUSE_RULE_IDS), text: said(z.string(), 'The rule of the house, in English.') });
const reason = z.enum(ALL_REPORT_REASONS);
const outcome = z.enum(OUTCOMES);
const appealOutcome = z.enum(APPEAL_OUTCOMES);
const person = said(
  z.nullable(
    z.object({ id: z.string(), name: said(z.nullable(z.string()), 'Display name; null of an account that is gone.') }),
  ),
  'Null where there is nobody.',
);

/** Answer of `POST /reports`. */
export const reportAnswer = z.object({
  success: done,
  message,
  reference: said(z.string(), 'To ask after it.'),
  data: z.object({ reference: z.string() }),
});

/** Answer of `GET /reports/{reference}`. */
export const reportStatusAnswer = z.object({
  success: done,
  data: z.object({
    reference: z.string(),
    status: said(z.enum(['received', 'decided']), 'Nothing of what was decided.'),
    filedAt: time,
  }),
});

/** That a statement is in the moderation log: the entry, and what leads from it to the root of its day. */
export const proofView = said(
  z.nullable(z.extend(inclusionProofView, { day: said(z.string(), 'The day, UTC.') })),
  'Null in lists, and until the day is over.',
);

const appealView = z.object({
  text: said(z.string(), 'What the poster wrote.'),
  filedAt: time,
  outcome: said(z.nullable(appealOutcome), 'Null until it is decided.'),
  facts: z.nullable(z.string()),
  decidedAt: z.nullable(time),
});

const decisionFields = {
  id: z.string(),
  subject,
  title: said(z.nullable(z.string()), 'What it is about, in its own words; null where they are gone.'),
  path: said(z.nullable(z.string()), 'The page it stands on, or stood on.'),
  outcome,
  rule,
  facts: z.string(),
  isAutomated: flag,
  hidingRuleId: said(
    z.nullable(z.string()),
    'The hiding rule that decided; null of a report’s or a moderator’s decision.',
  ),
  at: time,
};

/** A statement of reasons, as the person whose content it is about reads it. */
export const statementView = z.object({
  ...decisionFields,
  isInForce: said(flag, 'False once a newer decision stands, or an appeal has overturned it.'),
  appealableUntil: said(z.nullable(time), 'Until when it can be appealed against; null where it cannot.'),
  appeal: z.nullable(appealView),
  proof: proofView,
});
export const statementsAnswer = z.object({ success: done, data: z.array(statementView), nextCursor });
export const statementAnswer = z.object({ success: done, data: statementView });
export const appealAnswer = z.object({ success: done, message, data: z.object({ id: z.string(), appealedAt: time }) });

/** A decision as moderators see it. */
export const staffDecisionView = z.object({
  ...decisionFields,
  caseId: z.string(),
  by: person,
  appeal: z.nullable(z.object({ ...appealView.shape, by: person })),
});

const claim = z.nullable(z.object({ by: person, until: time, isMine: flag }));

/** A case in the queue. */
export const caseCard = z.object({
  id: said(z.string(), 'The kind of its subject, a hyphen, and the subject’s id.'),
  subject,
  title: said(z.nullable(z.string()), 'The beginning of what it is about, as it is now; null where it is gone.'),
  owner: person,
  state: z.enum(['open', 'appealed', 'decided']),
  priority: z.enum(CASE_PRIORITIES),
  reasons: said(z.array(z.object({ reason, count })), 'Of the reports of this round, most often first.'),
  reportCount: count,
  round: count,
  openedAt: time,
  lastReportAt: z.nullable(time),
  isHidden: said(flag, 'The case holds it out of sight.'),
  claim,
  decision: said(
    z.nullable(
      z.object({ id: z.string(), outcome, ruleId: z.enum(HOUSE_RULE_IDS), isAutomated: flag, by: person, at: time }),
    ),
    'The newest one.',
  ),
  appealedAt: z.nullable(time),
});
export const casesAnswer = z.object({
  success: done,
  data: z.array(caseCard),
  counts: said(z.object({ open: count, mine: count, appeals: count }), 'How many wait, in each list.'),
  nextCursor,
  total,
});

/** Something as it stood at one of its versions. */
export const contentView = z.object({
  revision: count,
  at: said(z.nullable(time), 'When this version came about.'),
  isGone: said(flag, 'Its owner has deleted it, or the account is gone.'),
  title: z.nullable(z.string()),
  html: said(z.nullable(z.string()), 'The text as safe HTML.'),
  fields: said(z.array(z.object({ name: z.string(), value: z.nullable(z.string()) })), 'What else it says, by field.'),
  category: z.nullable(z.enum(CATEGORIES)),
  photos: said(z.array(z.string()), 'Addresses of its pictures.'),
  video: z.nullable(z.string()),
});

/** A case with everything there is to decide it by. */
export const caseView = z.object({
  ...caseCard.shape,
  outcomes: said(z.array(outcome), 'What may be decided.'),
  canDecide: said(flag, 'The asker holds the claim.'),
  canClaim: said(
    flag,
    'The asker may claim it: it is not their own content, and not an appeal against their own decision.',
  ),
  reports: z.array(
    z.object({
      id: z.string(),
      reference: z.string(),
      reason,
      text: z.nullable(z.string()),
      at: time,
      isSignedIn: said(flag, 'Whoever reported was signed in.'),
    }),
  ),
  judged: said(contentView, 'The version that was reported, or judged.'),
  now: said(contentView, 'As it is now.'),
  path: said(z.nullable(z.string()), 'The page it stands on.'),
  decisions: said(z.array(staffDecisionView), 'About this subject, the newest first.'),
  ownerDecisions: said(z.array(staffDecisionView), 'About other content of the same owner, the newest first.'),
  appeal: said(z.nullable(z.object({ text: z.string(), filedAt: time })), 'The appeal that waits.'),
  links: said(
    z.array(
      z.object({
        adId: z.string(),
        title: z.string(),
        owner: person,
        by: z.array(z.enum(['phone', 'photo'])),
        isHidden: flag,
      }),
    ),
    'Ads of other accounts with the same phone or a photo that looks the same.',
  ),
});
export const caseAnswer = z.object({ success: done, data: caseView });

/** Answer of claiming, releasing and deciding. */
export const caseWriteAnswer = z.object({
  success: done,
  message,
  data: z.object({
    id: z.string(),
    claimedUntil: said(z.nullable(time), 'Of the asker’s own claim.'),
    decisionId: said(z.nullable(z.string()), 'Of the decision that stands now.'),
  }),
});
