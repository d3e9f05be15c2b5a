import { reasonFields } from '../../admin-fields.ts';
import { featureFields } from '../../listing/fields.ts';
import { body, json, operation, POSITION, readable, WRITTEN, type JsonBody, type Operation } from '../operation.ts';
import { userAnswer } from '../schemas/accounts.ts';
import {
  adminAdsAnswer,
  adminUserAnswer,
  adminUsersAnswer,
  clearedAnswer,
  verificationCodesAnswer,
} from '../schemas/admin.ts';
import { adWriteAnswer } from '../schemas/ads.ts';
import { doneAnswer } from '../schemas/common.ts';
import { adId, adminAdFilters, adminUserFilters, paging, userId } from './parameters.ts';

const of = { tag: 'Admin', access: 'admin' } as const;
/** Words that are sealed into the event. Clients that know only the specification send none. */
const why: JsonBody = {
  kind: 'json',
  schema: reasonFields,
  otherNames: {},
  isRequired: false,
  example: { reason: 'Asked for by its owner.' },
};
const user = { id: userId };
const ad = { id: adId };

/** The specification names both methods for these calls; they do the same. */
const verify = {
  ...of,
  path: '/admin/users/{id}/verify',
  summary: 'Verify a user: who they are was looked at',
  pathParameters: user,
  headers: ['Idempotency-Key'],
  body: why,
  answers: { 200: json(userAnswer, 'The user is verified.', WRITTEN) },
  errors: ['USER_NOT_FOUND'],
} as const;
const clear = {
  ...of,
  path: '/admin/verification-codes/clear',
  summary: 'Make every open verification code useless',
  headers: ['Idempotency-Key'],
  body: why,
  answers: { 200: json(clearedAnswer, 'How many there were.', POSITION) },
} as const;

/** `/admin/*` of the specification, section 7. */
export const adminOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'GET',
    path: '/admin/users',
    id: 'listUsers',
    summary: 'List users',
    query: adminUserFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(adminUsersAnswer, 'A page of users.'),
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/users/{id}',
    id: 'getUser',
    summary: 'Get one user: profile, role, ad, open code and counts',
    description: 'Kept in the log of what staff read.',
    pathParameters: user,
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(adminUserAnswer, 'The user.'),
    errors: ['USER_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'DELETE',
    path: '/admin/users/{id}',
    id: 'deleteUser',
    summary: 'Close an account and take its ad down',
    pathParameters: user,
    headers: ['Idempotency-Key'],
    body: why,
    answers: { 200: json(doneAnswer, 'The account is closed.', WRITTEN) },
    errors: ['USER_NOT_FOUND', 'OWN_ACCOUNT'],
  }),
  operation({ ...verify, method: 'POST', id: 'verifyUser' }),
  operation({ ...verify, method: 'PUT', id: 'verifyUserAgain' }),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/ads',
    id: 'listAdsAsAdmin',
    summary: 'List ads with their owners',
    query: adminAdFilters,
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(adminAdsAnswer, 'A page of ads.'),
  }),
  operation({
    ...of,
    method: 'DELETE',
    path: '/admin/ads/{id}',
    id: 'deleteAdAsAdmin',
    summary: 'Take an ad down',
    pathParameters: ad,
    headers: ['Idempotency-Key'],
    body: why,
    answers: { 200: json(adWriteAnswer, 'The ad is down.', WRITTEN) },
    errors: ['AD_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'PUT',
    path: '/admin/ads/{id}/featured',
    id: 'featureAd',
    summary: 'Put an ad among the featured ones, or take it out',
    pathParameters: ad,
    headers: ['Idempotency-Key'],
    body: body(featureFields, { featured: true }),
    answers: { 200: json(adWriteAnswer, 'It is as you said.', WRITTEN) },
    errors: ['AD_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/verification-codes',
    id: 'listVerificationCodes',
    summary: 'List verification codes that can still be entered',
    description: 'The codes themselves only on installations that expose them.',
    query: paging,
    headers: ['If-None-Match', 'X-Wait-Position'],
    answers: readable(verificationCodesAnswer, 'A page of open codes.'),
  }),
  operation({ ...clear, method: 'POST', id: 'clearVerificationCodes' }),
  operation({ ...clear, method: 'DELETE', id: 'deleteVerificationCodes' }),
  operation({
    ...of,
    method: 'DELETE',
    path: '/admin/verification-codes/{id}',
    id: 'clearVerificationCode',
    summary: 'Make the open verification code of one user useless',
    pathParameters: user,
    headers: ['Idempotency-Key'],
    body: why,
    answers: { 200: json(clearedAnswer, 'Whether there was one: 1 or 0.', POSITION) },
    errors: ['USER_NOT_FOUND'],
  }),
];
