import {
  appealFields,
  decideAppealFields,
  decideCaseFields,
  responseFields,
  restoreCasesFields,
} from '../../moderation/fields.ts';
import { newReportFields } from '../../report/fields.ts';
import { registerResponse } from '../component.ts';
import {
  jsonBody,
  jsonResponse,
  defineOperation,
  POSITION_HEADERS,
  REVISION_HEADERS,
  conditionalRead,
  type RequestHeader,
} from '../operation.ts';
import {
  appealResponse,
  caseResponse,
  casesResponse,
  caseWriteResponse,
  reportResponse,
  responseResponse,
  restoreCasesResponse,
  reportStatusResponse,
  statementResponse,
  statementsResponse,
} from '../schemas/moderation.ts';
import { reviewDeletedResponse } from '../schemas/ads.ts';
import { adId, caseFilters, caseId, decisionId, pagingParameters, reportReference, reviewId } from './parameters.ts';
import { reasonBody } from './reason-body.ts';

const report = { tag: 'Reports' } as const;
const own = { tag: 'Accounts', access: 'bearer' } as const;
/**
 * Options of operations that remain possible after an account is closed. The owner of a closed account cannot sign in,
 * so these operations also accept the token from the mail about the closing.
 */
const statement = { tag: 'Accounts', access: 'statement' } as const;
const staff = { tag: 'Moderation', access: 'moderator' } as const;
const write = { ...staff, headers: ['Idempotency-Key'] } as const;
const KEY: readonly RequestHeader[] = ['Idempotency-Key'];
const DECIDED = registerResponse(
  'CaseDecided',
  jsonResponse(caseWriteResponse, 'The case is decided.', POSITION_HEADERS),
);
const A_CASE = { id: caseId };

/**
 * Operations on reports about content, and on the moderation cases, decisions and appeals that follow from reports
 * (R-11.1 to R-11.18).
 */
export const moderationOperations = [
  defineOperation('fileReport', 'POST', '/reports', {
    ...report,
    rateLimits: ['reports', 'reports-of-day'],
    summary: 'Report an ad, a picture, a profile, a thread, a post or an article',
    description:
      'A login is not required. The reasons `under_age`, `forced` and `my_content` hide the content until a ' +
      'moderator has decided, unless too many reports come from the same source or were unfounded. A report does not ' +
      'hide an article.',
    access: 'optional',
    headers: KEY,
    body: jsonBody(
      newReportFields,
      { subject: { kind: 'ad', id: adId.example }, reason: 'spam', text: 'The same words everywhere.' },
      { details: 'text' },
    ),
    responses: { 201: jsonResponse(reportResponse, 'The report was filed.', POSITION_HEADERS) },
    errors: ['SUBJECT_NOT_FOUND'],
  }),
  defineOperation('getReport', 'GET', '/reports/{reference}', {
    ...report,
    summary: 'Get the status of a report',
    description: 'Requires only the reference. The response shows whether the report was received or decided.',
    pathParameters: { reference: reportReference },
    ...conditionalRead(reportStatusResponse, 'The report.'),
    errors: ['REPORT_NOT_FOUND'],
  }),
  defineOperation('listDecisions', 'GET', '/account/decisions', {
    ...own,
    summary: 'List decisions about your content',
    description: 'The statements of reasons, the newest first.',
    queryParameters: pagingParameters,
    ...conditionalRead(statementsResponse, 'A page of statements.'),
  }),
  defineOperation('getDecision', 'GET', '/account/decisions/{id}', {
    ...statement,
    summary: 'Get one decision about your content',
    description: 'If the decision closed the account, the token from the mail gives access until the erasure.',
    pathParameters: { id: decisionId },
    ...conditionalRead(statementResponse, 'The statement of reasons.'),
    errors: ['DECISION_NOT_FOUND'],
  }),
  defineOperation('appeal', 'POST', '/account/decisions/{id}/appeal', {
    ...statement,
    summary: 'Appeal against a decision about your content',
    description:
      'Once, within 30 days. Another moderator decides about the version that was judged. ' +
      'If the account was closed, the appeal uses the token from the mail.',
    pathParameters: { id: decisionId },
    headers: KEY,
    body: jsonBody(appealFields, { text: 'The number in it is my own.' }),
    responses: { 200: jsonResponse(appealResponse, 'The appeal was filed.', POSITION_HEADERS) },
    errors: [
      'REQUIRED_FIELDS',
      'DECISION_NOT_FOUND',
      'NOT_APPEALABLE',
      'ALREADY_APPEALED',
      'APPEAL_PENDING',
      'APPEAL_OVER',
    ],
  }),
  defineOperation('respondToDecision', 'POST', '/account/decisions/{id}/response', {
    ...own,
    summary: 'Respond to the automated decision that hides your content',
    description: 'Once, until a moderator has decided. The moderator reads the response.',
    pathParameters: { id: decisionId },
    headers: KEY,
    body: jsonBody(responseFields, { text: 'The person in it is me.' }),
    responses: { 200: jsonResponse(responseResponse, 'The response was stored.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'DECISION_NOT_FOUND', 'NOT_RESPONDABLE', 'ALREADY_RESPONDED'],
  }),

  defineOperation('listCases', 'GET', '/admin/moderation/cases', {
    ...staff,
    summary: 'List cases',
    description:
      'Cases with reasons that hide content come first, then those that have waited longest. ' +
      'Decided cases: the newest first.',
    queryParameters: caseFilters,
    ...conditionalRead(casesResponse, 'A page of cases.'),
  }),
  defineOperation('getCase', 'GET', '/admin/moderation/cases/{id}', {
    ...staff,
    summary: 'Get one case with everything that is needed to decide it',
    description: 'The access is recorded in the log of staff reads.',
    pathParameters: A_CASE,
    ...conditionalRead(caseResponse, 'The case.'),
    errors: ['CASE_NOT_FOUND'],
  }),
  defineOperation('claimCase', 'POST', '/admin/moderation/cases/{id}/claim', {
    ...write,
    summary: 'Claim a case, or an appeal, for half an hour',
    description: 'In its last ten minutes, a claim is renewed by claiming the case again.',
    pathParameters: A_CASE,
    responses: { 200: jsonResponse(caseWriteResponse, 'The case is claimed.', POSITION_HEADERS) },
    errors: ['CASE_NOT_FOUND', 'CASE_CLAIMED', 'NOTHING_TO_DECIDE', 'OWN_CONTENT', 'ANOTHER_MODERATOR'],
  }),
  defineOperation('releaseCase', 'POST', '/admin/moderation/cases/{id}/release', {
    ...write,
    summary: 'Release a claimed case',
    pathParameters: A_CASE,
    responses: { 200: jsonResponse(caseWriteResponse, 'You do not hold a claim to the case.', POSITION_HEADERS) },
    errors: ['CASE_NOT_FOUND'],
  }),
  defineOperation('decideCase', 'POST', '/admin/moderation/cases/{id}/decide', {
    ...write,
    summary: 'Decide a claimed case',
    description:
      'The owner receives the rule and the facts in a statement of reasons. An outcome that shows the content ' +
      'requires the `revision` of the current version if hidden content has changed since it was reported. ' +
      '`alsoCaseIds` get the same decision. Cases that cannot be decided so are in `notDecided`.',
    pathParameters: A_CASE,
    body: jsonBody(decideCaseFields, {
      outcome: 'hidden',
      rule: 'contact',
      facts: 'The second line names somebody else.',
    }),
    responses: { 200: DECIDED },
    errors: [
      'REQUIRED_FIELDS',
      'CASE_NOT_FOUND',
      'CASE_NOT_CLAIMED',
      'NOTHING_TO_DECIDE',
      'APPEAL_PENDING',
      'OWN_CONTENT',
      'ANOTHER_MODERATOR',
      'CONTENT_CHANGED',
      'WRONG_OUTCOME',
      'RULE_HIDES_CONTENT',
      'PHOTO_NOT_IN_AD',
      'PHOTO_IS_HIDDEN',
      'REMOVAL_UNDECIDED',
    ],
  }),
  defineOperation('restoreCases', 'POST', '/admin/moderation/restore', {
    ...write,
    access: 'admin',
    summary: 'Show content again that reports have hidden',
    description: 'The cases stay open for a moderator. Content that a moderator has hidden stays hidden.',
    body: jsonBody(restoreCasesFields, {
      caseIds: [caseId.example],
      facts: 'These reports were a coordinated attack.',
    }),
    responses: { 200: jsonResponse(restoreCasesResponse, 'The content is restored.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS'],
  }),
  defineOperation('removeReview', 'DELETE', '/admin/moderation/ads/{id}/reviews/{reviewId}', {
    ...write,
    summary: 'Remove a review',
    pathParameters: { id: adId, reviewId },
    body: reasonBody,
    responses: { 200: jsonResponse(reviewDeletedResponse, 'Removed.', REVISION_HEADERS) },
    errors: ['AD_NOT_FOUND', 'REVIEW_NOT_FOUND', 'OWN_CONTENT'],
  }),
  defineOperation('decideAppeal', 'POST', '/admin/moderation/cases/{id}/appeal', {
    ...write,
    summary: 'Decide a claimed appeal',
    description:
      'Requires another moderator than the one who made the decision. `overturned` requires the `revision` of the ' +
      'current version if hidden content has changed since the decision.',
    pathParameters: A_CASE,
    body: jsonBody(decideAppealFields, { outcome: 'overturned', facts: 'It is their own number.' }),
    responses: { 200: DECIDED },
    errors: [
      'REQUIRED_FIELDS',
      'CASE_NOT_FOUND',
      'CASE_NOT_CLAIMED',
      'NO_APPEAL',
      'NOTHING_TO_DECIDE',
      'OWN_CONTENT',
      'ANOTHER_MODERATOR',
      'CONTENT_CHANGED',
    ],
  }),
];
