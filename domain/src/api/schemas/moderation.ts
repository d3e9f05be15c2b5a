import * as z from 'zod/mini';
import {
  registerFields,
  registerResponseSchema,
  registerSharedObject,
  registerSharedSchema,
  registerView,
} from '../component.ts';
import { APPEAL_OUTCOMES, CASE_PRIORITIES, OUTCOMES } from '../../moderation/fields.ts';
import { ALL_REPORT_REASONS } from '../../report/fields.ts';
import { inclusionProofView } from './audit.ts';
import {
  count,
  booleanFlag,
  message,
  nextCursor,
  described,
  timestamp,
  total,
  category,
  houseRule,
  subjectKind,
  registerSuccess,
} from './common.ts';

/** Schemas of responses with reports about content, moderation cases, decisions, statements of reasons and appeals. */

const subject = registerSharedObject('SubjectView', {
  kind: subjectKind,
  id: described(
    z.string(),
    'Id of the ad, media, account or thread. Post: id of the thread, hyphen, number. Article: slug.',
  ),
});
const rule = registerSharedObject('HouseRuleView', {
  id: houseRule,
  text: described(z.string(), 'The house rule in English.'),
});
const reason = registerSharedSchema('ReportReason', z.enum(ALL_REPORT_REASONS));
const outcome = registerSharedSchema('DecisionOutcome', z.enum(OUTCOMES));
const appealOutcome = registerSharedSchema('AppealOutcome', z.enum(APPEAL_OUTCOMES));
const person = registerSharedSchema(
  'PersonView',
  described(
    z.nullable(
      z.object({
        id: z.string(),
        name: described(z.nullable(z.string()), 'Display name. Null if the account no longer exists.'),
      }),
    ),
    'Null if no person is involved.',
  ),
);

/** Response of `POST /reports`, which reports content to the moderators. */
export const reportResponse = registerSuccess('ReportAnswer', {
  message,
  reference: described(z.string(), 'The reference to request the status with.'),
  data: z.object({ reference: z.string() }),
});

/** Response of `GET /reports/{reference}` with the status of a report about content. */
export const reportStatusResponse = registerSuccess('ReportStatusAnswer', {
  data: z.object({
    reference: z.string(),
    status: described(z.enum(['received', 'decided']), 'Does not show the decision itself.'),
    filedAt: timestamp,
  }),
});

/**
 * A proof that the moderation log contains a statement of reasons. The proof consists of the log entry and the hashes
 * that lead from the entry to the root hash of its day.
 */
const proofView = registerResponseSchema(
  'ProofView',
  described(
    z.nullable(z.extend(inclusionProofView, { day: described(z.string(), 'The day, UTC.') })),
    'Null in lists and until the day is over.',
  ),
);

const appealView = z.object({
  text: described(z.string(), 'The text of the poster.'),
  filedAt: timestamp,
  outcome: described(z.nullable(appealOutcome), 'Null until the appeal is decided.'),
  facts: z.nullable(z.string()),
  decidedAt: z.nullable(timestamp),
});

const decisionFields = registerFields('DecisionFields', {
  id: z.string(),
  subject,
  title: described(
    z.nullable(z.string()),
    'The title of the content, for an ad at the time of the decision. Null if it no longer exists.',
  ),
  file: described(
    z.nullable(
      z.object({
        kind: z.enum(['photo', 'video']),
        number: described(
          z.nullable(z.int()),
          'Position of the photo in the ad at this time, from 1. Null if it was in no ad.',
        ),
      }),
    ),
    'The photo or video that the decision is about. `title` is then the title of the ad. Null for other subjects.',
  ),
  path: described(z.nullable(z.string()), 'The page that shows the content. Null for an ad that was deleted.'),
  outcome,
  rule,
  facts: z.string(),
  isAutomated: booleanFlag,
  hidingRuleId: described(
    z.nullable(z.string()),
    'The hiding rule that decided. Null for decisions because of a report or by a moderator.',
  ),
  changeBy: described(
    z.nullable(timestamp),
    'The time at which unchanged content is hidden, or was hidden by an automated decision. Null if no change was ' +
      'requested.',
  ),
  at: timestamp,
});

/** A statement of reasons for a moderation decision, as shown to the owner of the content. */
export const statementView = registerView('StatementView', {
  ...decisionFields,
  isInForce: described(booleanFlag, 'False after a newer decision or a successful appeal.'),
  isChanged: described(
    booleanFlag,
    'The owner has changed the ad since a decision in force has requested it. A moderator will look at it.',
  ),
  appealableUntil: described(
    z.nullable(timestamp),
    'End of the time for an appeal. Null if an appeal is not possible.',
  ),
  appeal: z.nullable(appealView),
  canRespond: described(booleanFlag, 'The owner can respond to the automated decision before a moderator decides.'),
  response: described(
    z.nullable(z.object({ text: z.string(), at: timestamp })),
    'The response of the owner to an automated decision that waits for a moderator.',
  ),
  proof: proofView,
});
export const statementsResponse = registerSuccess('StatementsAnswer', { data: z.array(statementView), nextCursor });
export const statementResponse = registerSuccess('StatementAnswer', { data: statementView });
export const appealResponse = registerSuccess('AppealAnswer', {
  message,
  data: z.object({ id: z.string(), appealedAt: timestamp }),
});

export const responseResponse = registerSuccess('ResponseAnswer', {
  message,
  data: z.object({ id: z.string(), at: timestamp }),
});

/** A moderation decision, as shown to moderators. */
export const staffDecisionView = registerView('StaffDecisionView', {
  ...decisionFields,
  caseId: z.string(),
  by: person,
  appeal: z.nullable(z.object({ ...appealView.shape, by: person })),
});

const claim = z.nullable(z.object({ by: person, until: timestamp, isMine: booleanFlag }));

/** A moderation case in a list for moderators. */
export const caseCard = registerView('CaseCard', {
  id: described(z.string(), 'The kind of its subject, a hyphen, and the id of the subject.'),
  subject,
  title: described(z.nullable(z.string()), 'The beginning of the current content. Null if it no longer exists.'),
  picture: described(z.nullable(z.string()), 'URL of the reported picture, or of the first one of the ad.'),
  reportText: described(z.nullable(z.string()), 'The text of the newest report.'),
  owner: person,
  state: z.enum(['open', 'appealed', 'decided']),
  priority: z.enum(CASE_PRIORITIES),
  reasons: described(
    z.array(z.object({ reason, count })),
    'Reasons of the reports in this round, the most frequent first.',
  ),
  reportCount: count,
  round: count,
  openedAt: timestamp,
  lastReportAt: z.nullable(timestamp),
  isHidden: described(booleanFlag, 'The case hides its subject.'),
  claim,
  canClaim: described(
    booleanFlag,
    'The requester may claim the case. It is about neither their own content nor their own decision.',
  ),
  decision: described(
    z.nullable(
      z.object({
        id: z.string(),
        outcome,
        ruleId: houseRule,
        isAutomated: booleanFlag,
        by: person,
        at: timestamp,
        isReversed: described(booleanFlag, 'An appeal against the decision was granted.'),
        changeBy: described(z.nullable(timestamp), 'The end of the time for a requested change, or null.'),
      }),
    ),
    'The newest decision.',
  ),
  appealedAt: z.nullable(timestamp),
});
export const casesResponse = registerSuccess('CasesAnswer', {
  data: z.array(caseCard),
  counts: described(z.object({ open: count, mine: count, appeals: count }), 'Number of waiting cases in each list.'),
  nextCursor,
  total,
});

/** A version of the content that a moderation case is about. */
export const contentView = registerView('ContentView', {
  revision: count,
  at: described(z.nullable(timestamp), 'When this version was created.'),
  isGone: described(booleanFlag, 'The owner has deleted the content, or the account no longer exists.'),
  title: z.nullable(z.string()),
  html: described(z.nullable(z.string()), 'The text as safe HTML.'),
  fields: described(
    z.array(z.object({ name: z.string(), value: z.nullable(z.string()) })),
    'Other fields of the content.',
  ),
  category: z.nullable(category),
  photos: described(z.array(z.string()), 'URLs of the pictures.'),
  video: z.nullable(z.string()),
  reviews: described(
    z.array(z.object({ id: z.string(), name: z.string(), comment: z.string(), rating: z.int() })),
    'The reviews that the page of an ad shows.',
  ),
  adId: described(
    z.nullable(z.string()),
    'The ad that shows the reviews, which may continue the reported one. Null for other and deleted content.',
  ),
});

const linkedAd = registerSharedObject('LinkedAdView', {
  adId: z.string(),
  title: z.string(),
  owner: person,
  by: z.array(z.enum(['phone', 'photo'])),
  isHidden: booleanFlag,
});
const adLinks = described(z.array(linkedAd), 'Ads of other accounts with the same phone number or a similar photo.');

/** The moderation of the content of one account, as shown to admins. */
export const ownerModeration = z.object({
  cases: described(z.array(caseCard), 'Cases about content of the account, the newest first.'),
  decisions: described(z.array(staffDecisionView), 'Decisions about its content, the newest first.'),
  links: adLinks,
});

/** A moderation case with all information that a moderator needs to decide it. */
export const caseView = registerView('CaseView', {
  ...caseCard.shape,
  outcomes: described(z.array(outcome), 'The possible outcomes.'),
  canDecide: described(booleanFlag, 'The requester holds the claim.'),
  reports: z.array(
    z.object({
      id: z.string(),
      reference: z.string(),
      reason,
      text: z.nullable(z.string()),
      at: timestamp,
      isSignedIn: described(booleanFlag, 'The reporter was signed in.'),
    }),
  ),
  judged: described(contentView, 'The reported or judged version.'),
  now: described(contentView, 'The current version.'),
  hiddenPhotos: described(
    z.array(z.string()),
    'URLs of the pictures in both versions that visitors do not see, because a case about the picture hides it.',
  ),
  path: described(
    z.nullable(z.string()),
    'The page on which staff see the content. It is in the admin panel if visitors do not see the content.',
  ),
  decisions: described(z.array(staffDecisionView), 'Decisions about this subject, the newest first.'),
  ownerDecisions: described(
    z.array(staffDecisionView),
    'Decisions about other content of the same owner, the newest first.',
  ),
  appeal: described(z.nullable(z.object({ text: z.string(), filedAt: timestamp })), 'The open appeal.'),
  response: described(
    z.nullable(z.object({ text: z.string(), at: timestamp })),
    'The response of the owner to the newest automated decision.',
  ),
  links: adLinks,
  linkedCases: described(
    z.array(z.object({ case: caseCard, by: z.array(z.enum(['owner', 'phone', 'photo'])) })),
    'Other open cases about the same owner or about owners of linked ads, which the same decision can decide.',
  ),
});
export const caseResponse = registerSuccess('CaseAnswer', { data: caseView });

/** Response of `POST /admin/moderation/restore`. */
export const restoreCasesResponse = registerSuccess('RestoreCasesAnswer', {
  message,
  data: z.object({
    restored: described(count, 'Cases that no longer hide their content.'),
    unchanged: described(count, 'Cases in which no report hides the content, or that the requester must not decide.'),
  }),
});

/** Response of the operations that claim, release or decide a moderation case. */
export const caseWriteResponse = registerSuccess('CaseWriteAnswer', {
  message,
  data: z.object({
    id: z.string(),
    claimedUntil: described(z.nullable(timestamp), 'End of the claim of the requester.'),
    decisionId: described(z.nullable(z.string()), 'The current decision.'),
    notDecided: described(z.array(z.string()), 'Cases of `alsoCaseIds` that need their own decision.'),
  }),
});
