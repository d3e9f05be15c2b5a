import { appealFields, decideAppealFields, decideCaseFields } from '../../moderation/fields.ts';
import { newReport } from '../../report/fields.ts';
import { body, json, operation, POSITION, readable, type Operation, type RequestHeader } from '../operation.ts';
import {
  appealAnswer,
  caseAnswer,
  casesAnswer,
  caseWriteAnswer,
  reportAnswer,
  reportStatusAnswer,
  statementAnswer,
  statementsAnswer,
} from '../schemas/moderation.ts';
import { adId, caseFilters, caseId, decisionId, paging, reportReference } from './parameters.ts';

const report = { tag: 'Reports' } as const;
const own = { tag: 'Accounts', access: 'bearer' } as const;
/** Whoever had their account closed cannot sign in, and has a token of the mail about it. */
const statement = { tag: 'Accounts', access: 'statement' } as const;
const staff = { tag: 'Moderation', access: 'moderator' } as const;
const KEY: readonly RequestHeader[] = ['Idempotency-Key'];
const READ_HEADERS: readonly RequestHeader[] = ['If-None-Match', 'X-Wait-Position'];
const A_CASE = { id: caseId };

/** Reports, and what becomes of them (design, trust and privacy). */
export const moderationOperations: readonly Operation[] = [
  operation({
    ...report,
    method: 'POST',
    path: '/reports',
    id: 'fileReport',
    summary: 'Report an ad, a picture, a profile, a thread, a post or an article',
    description:
      'Without a login, if you like. Reasons `under_age`, `forced` and `my_content` hide it at once until a moderator has decided; of articles, which are the house’s own, none does.',
    access: 'optional',
    headers: KEY,
    body: body(
      newReport,
      { subject: { kind: 'ad', id: adId.example }, reason: 'spam', text: 'The same words everywhere.' },
      { details: 'text' },
    ),
    answers: { 201: json(reportAnswer, 'It is filed.', POSITION) },
    errors: ['SUBJECT_NOT_FOUND'],
  }),
  operation({
    ...report,
    method: 'GET',
    path: '/reports/{reference}',
    id: 'getReport',
    summary: 'Ask what became of a report',
    description: 'With the reference alone: whether it was received or decided, and nothing else.',
    pathParameters: { reference: reportReference },
    headers: READ_HEADERS,
    answers: readable(reportStatusAnswer, 'The report.'),
    errors: ['REPORT_NOT_FOUND'],
  }),
  operation({
    ...own,
    method: 'GET',
    path: '/account/decisions',
    id: 'listDecisions',
    summary: 'Decisions about your content',
    description: 'The statements of reasons, the newest first.',
    query: paging,
    headers: READ_HEADERS,
    answers: readable(statementsAnswer, 'A page of them.'),
  }),
  operation({
    ...statement,
    method: 'GET',
    path: '/account/decisions/{id}',
    id: 'getDecision',
    summary: 'Read one decision about your content',
    description: 'Whoever had their account closed by it reads it with the token of the mail, until they are erased.',
    pathParameters: { id: decisionId },
    headers: READ_HEADERS,
    answers: readable(statementAnswer, 'The statement of reasons.'),
    errors: ['DECISION_NOT_FOUND'],
  }),
  operation({
    ...statement,
    method: 'POST',
    path: '/account/decisions/{id}/appeal',
    id: 'appeal',
    summary: 'Appeal against a decision about your content',
    description:
      'Once, within 30 days. Another moderator decides, who sees the version that was judged. Whoever had their account closed appeals with the token of the mail.',
    pathParameters: { id: decisionId },
    headers: KEY,
    body: body(appealFields, { text: 'The number in it is my own.' }),
    answers: { 200: json(appealAnswer, 'The appeal is filed.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'DECISION_NOT_FOUND', 'NOT_APPEALABLE', 'ALREADY_APPEALED', 'APPEAL_OVER'],
  }),

  operation({
    ...staff,
    method: 'GET',
    path: '/admin/moderation/cases',
    id: 'listCases',
    summary: 'The queue of cases',
    description:
      'Those to be looked at first come first: reasons that hide at once, then the longest wait. Decided ones: the newest first.',
    query: caseFilters,
    headers: READ_HEADERS,
    answers: readable(casesAnswer, 'A page of cases.'),
  }),
  operation({
    ...staff,
    method: 'GET',
    path: '/admin/moderation/cases/{id}',
    id: 'getCase',
    summary: 'One case, with all there is to decide it by',
    description: 'Kept in the log of what staff read.',
    pathParameters: A_CASE,
    headers: READ_HEADERS,
    answers: readable(caseAnswer, 'The case.'),
    errors: ['CASE_NOT_FOUND'],
  }),
  operation({
    ...staff,
    method: 'POST',
    path: '/admin/moderation/cases/{id}/claim',
    id: 'claimCase',
    summary: 'Claim a case, or an appeal, for half an hour',
    pathParameters: A_CASE,
    headers: KEY,
    answers: { 200: json(caseWriteAnswer, 'It is claimed.', POSITION) },
    errors: ['CASE_NOT_FOUND', 'CASE_CLAIMED', 'NOTHING_TO_DECIDE', 'OWN_CONTENT', 'ANOTHER_MODERATOR'],
  }),
  operation({
    ...staff,
    method: 'POST',
    path: '/admin/moderation/cases/{id}/release',
    id: 'releaseCase',
    summary: 'Give a claim back',
    pathParameters: A_CASE,
    headers: KEY,
    answers: { 200: json(caseWriteAnswer, 'It is not claimed by the asker.', POSITION) },
    errors: ['CASE_NOT_FOUND'],
  }),
  operation({
    ...staff,
    method: 'POST',
    path: '/admin/moderation/cases/{id}/decide',
    id: 'decideCase',
    summary: 'Decide a claimed case',
    description: 'The owner reads rule and facts in a statement of reasons.',
    pathParameters: A_CASE,
    headers: KEY,
    body: body(decideCaseFields, { outcome: 'hidden', rule: 'contact', facts: 'The second line names somebody else.' }),
    answers: { 200: json(caseWriteAnswer, 'It is decided.', POSITION) },
    errors: [
      'REQUIRED_FIELDS',
      'CASE_NOT_FOUND',
      'CASE_NOT_CLAIMED',
      'NOTHING_TO_DECIDE',
      'APPEAL_PENDING',
      'OWN_CONTENT',
      'ANOTHER_MODERATOR',
      'WRONG_OUTCOME',
    ],
  }),
  operation({
    ...staff,
    method: 'POST',
    path: '/admin/moderation/cases/{id}/appeal',
    id: 'decideAppeal',
    summary: 'Decide a claimed appeal',
    description: 'By another moderator than whose decision it is about.',
    pathParameters: A_CASE,
    headers: KEY,
    body: body(decideAppealFields, { outcome: 'overturned', facts: 'It is their own number.' }),
    answers: { 200: json(caseWriteAnswer, 'It is decided.', POSITION) },
    errors: [
      'REQUIRED_FIELDS',
      'CASE_NOT_FOUND',
      'CASE_NOT_CLAIMED',
      'NO_APPEAL',
      'NOTHING_TO_DECIDE',
      'OWN_CONTENT',
      'ANOTHER_MODERATOR',
    ],
  }),
];
