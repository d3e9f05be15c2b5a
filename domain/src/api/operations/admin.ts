import { takeDownFields } from '../../admin-fields.ts';
import { featureAdFields } from '../../listing/fields.ts';
import { registerResponse } from '../component.ts';
import {
  jsonBody,
  jsonResponse,
  defineOperation,
  POSITION_HEADERS,
  conditionalRead,
  REVISION_HEADERS,
} from '../operation.ts';
import { userResponse } from '../schemas/accounts.ts';
import {
  adminAdsResponse,
  adminUserResponse,
  adminUsersResponse,
  clearCodesResponse,
  verificationCodesResponse,
} from '../schemas/admin.ts';
import { adWriteResponse } from '../schemas/ads.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { adId, adminAdFilters, adminUserFilters, pagingParameters, userId } from './parameters.ts';
import { reasonBody } from './reason-body.ts';

const common = { tag: 'Admin', access: 'admin' } as const;
const write = { ...common, headers: ['Idempotency-Key'] } as const;
const user = { id: userId };
const ad = { id: adId };
const takeDownBody = jsonBody(takeDownFields, { reason: 'The photos show another person.', rule: 'stolen' });
/** Errors of a decision about content that needs no claimed case. */
const DECISION_ERRORS = ['OWN_CONTENT', 'CASE_CLAIMED', 'APPEAL_PENDING', 'REMOVAL_UNDECIDED'] as const;

/** Options that two equivalent operations of one path share: POST and PUT, or POST and DELETE (R-7.38, R-7.40). */
const verify = {
  ...common,
  summary: 'Verify the identity of a user',
  pathParameters: user,
  headers: ['Idempotency-Key'],
  body: reasonBody,
  responses: {
    200: registerResponse('UserVerified', jsonResponse(userResponse, 'The user is verified.', REVISION_HEADERS)),
  },
  errors: ['USER_NOT_FOUND'],
} as const;
const clear = {
  ...common,
  summary: 'Revoke every open verification code',
  headers: ['Idempotency-Key'],
  body: reasonBody,
  responses: {
    200: registerResponse(
      'CodesCleared',
      jsonResponse(clearCodesResponse, 'The number of revoked codes.', POSITION_HEADERS),
    ),
  },
} as const;

/**
 * The `/admin/*` operations on users, ads and verification codes (R-7.36 to R-7.41). All other `/admin/*` operations
 * are declared in other files, by topic.
 */
export const adminOperations = [
  defineOperation('listUsers', 'GET', '/admin/users', {
    ...common,
    summary: 'List users',
    queryParameters: adminUserFilters,
    ...conditionalRead(adminUsersResponse, 'A page of users.'),
  }),
  defineOperation('getUser', 'GET', '/admin/users/{id}', {
    ...common,
    summary: 'Get one user: profile, role, ad, open code and counts',
    description: 'The access is recorded in the log of staff reads.',
    pathParameters: user,
    ...conditionalRead(adminUserResponse, 'The user.'),
    errors: ['USER_NOT_FOUND'],
  }),
  defineOperation('deleteUser', 'DELETE', '/admin/users/{id}', {
    ...write,
    summary: 'Close an account and delete its ad',
    description: 'A decision in the case of the account. The owner gets a statement of reasons and may appeal.',
    pathParameters: user,
    body: takeDownBody,
    responses: { 200: jsonResponse(emptyResultResponse, 'The account is closed.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'OWN_ACCOUNT', ...DECISION_ERRORS],
  }),
  defineOperation('verifyUser', 'POST', '/admin/users/{id}/verify', verify),
  defineOperation('verifyUserAgain', 'PUT', '/admin/users/{id}/verify', verify),
  defineOperation('listAdsAsAdmin', 'GET', '/admin/ads', {
    ...common,
    summary: 'List ads with their owners',
    queryParameters: adminAdFilters,
    ...conditionalRead(adminAdsResponse, 'A page of ads.'),
  }),
  defineOperation('deleteAdAsAdmin', 'DELETE', '/admin/ads/{id}', {
    ...write,
    summary: 'Remove an ad from public view',
    description:
      'Decides the case of the ad with the outcome `removed`. The owner gets a statement of reasons and may appeal.',
    pathParameters: ad,
    body: takeDownBody,
    responses: { 200: jsonResponse(adWriteResponse, 'The ad is removed.', REVISION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'AD_NOT_FOUND', ...DECISION_ERRORS],
  }),
  defineOperation('featureAd', 'PUT', '/admin/ads/{id}/featured', {
    ...write,
    summary: 'Add an ad to the featured ads, or remove it',
    pathParameters: ad,
    body: jsonBody(featureAdFields, { featured: true }),
    responses: { 200: jsonResponse(adWriteResponse, 'The ad was updated.', REVISION_HEADERS) },
    errors: ['AD_NOT_FOUND'],
  }),
  defineOperation('listVerificationCodes', 'GET', '/admin/verification-codes', {
    ...common,
    summary: 'List verification codes that can still be used',
    description: 'Contains the codes only on installations that expose them.',
    queryParameters: pagingParameters,
    ...conditionalRead(verificationCodesResponse, 'A page of open codes.'),
  }),
  defineOperation('clearVerificationCodes', 'POST', '/admin/verification-codes/clear', clear),
  defineOperation('deleteVerificationCodes', 'DELETE', '/admin/verification-codes/clear', clear),
  defineOperation('clearVerificationCode', 'DELETE', '/admin/verification-codes/{id}', {
    ...write,
    summary: 'Revoke the open verification code of one user',
    pathParameters: user,
    body: reasonBody,
    responses: { 200: jsonResponse(clearCodesResponse, 'The number of revoked codes: 1 or 0.', POSITION_HEADERS) },
    errors: ['USER_NOT_FOUND'],
  }),
];
