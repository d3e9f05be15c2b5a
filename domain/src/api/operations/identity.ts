import * as z from 'zod/mini';
import { IDENTITY_FILES_MAX, identityDecisionFields } from '../../identity/fields.ts';
import { PHOTO_CONTENT_TYPES } from '../../media/fields.ts';
import {
  jsonBody,
  binaryResponse,
  jsonResponse,
  defineOperation,
  POSITION_HEADERS,
  type Parameter,
} from '../operation.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { identityResponse, identityChecksResponse } from '../schemas/identity.ts';
import { pagingParameters, userId } from './parameters.ts';

const admin = { tag: 'Admin', access: 'admin' } as const;
const own = { tag: 'Accounts', access: 'bearer' } as const;
const fileNumber: Parameter = {
  schema: z.int().check(z.minimum(1), z.maximum(IDENTITY_FILES_MAX)),
  description: 'The number of the picture, starting with 1.',
  example: 1,
};

/**
 * Operations with which providers request verification of their identity, and with which admins decide these requests
 * (R-12.1, R-12.2).
 */
export const identityOperations = [
  defineOperation('getIdentityCheck', 'GET', '/account/identity', {
    ...own,
    service: 'command',
    summary: 'Get your last verification request',
    responses: { 200: jsonResponse(identityResponse, 'The status of the request.') },
  }),
  defineOperation('requestIdentityCheck', 'POST', '/account/identity', {
    ...own,
    rateLimits: ['identity'],
    summary: 'Request verification',
    description:
      'One or two pictures of at most 10 MB each that show who you are. ' +
      'They are stored encrypted, only admins can open them, and the decision destroys them.',
    body: { kind: 'files', field: 'files', maxFiles: IDENTITY_FILES_MAX, contentTypes: PHOTO_CONTENT_TYPES },
    responses: { 201: jsonResponse(identityResponse, 'An admin will review the request.', POSITION_HEADERS) },
    errors: [
      'ONLY_PROVIDERS_VERIFY',
      'VERIFICATION_REQUIRED',
      'IDENTITY_VERIFIED',
      'IDENTITY_CHECK_OPEN',
      'NO_PHOTO',
      'NOT_AN_IMAGE',
      'IMAGE_DAMAGED',
      'TOO_MANY_PIXELS',
      'FILE_NOT_READABLE',
      'IDENTITY_FILE_TOO_LARGE',
      'TOO_MANY_IDENTITY_FILES',
    ],
  }),
  defineOperation('listIdentityChecks', 'GET', '/admin/identity', {
    ...admin,
    summary: 'List verification requests of providers',
    queryParameters: pagingParameters,
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(identityChecksResponse, 'A page of requests, the newest first.') },
  }),
  defineOperation('getIdentityFile', 'GET', '/admin/identity/{id}/files/{number}', {
    ...admin,
    summary: 'Get a picture of a request',
    pathParameters: { id: userId, number: fileNumber },
    responses: { 200: binaryResponse(['image/jpeg'], 'The picture.') },
    errors: ['IDENTITY_CHECK_NOT_FOUND'],
  }),
  defineOperation('decideIdentityCheck', 'POST', '/admin/identity/{id}/decide', {
    ...admin,
    summary: 'Accept or reject a request',
    description:
      'Accepting a request verifies the provider. In both cases, the pictures are destroyed ' +
      'unless a legal hold forbids it. The decision is stored.',
    pathParameters: { id: userId },
    headers: ['Idempotency-Key'],
    body: jsonBody(identityDecisionFields, { accept: true, reason: 'Passport and face match.' }),
    responses: { 200: jsonResponse(emptyResultResponse, 'The request is decided.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'IDENTITY_CHECK_NOT_FOUND', 'OWN_IDENTITY', 'USER_NOT_FOUND'],
  }),
];
