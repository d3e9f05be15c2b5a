import * as z from 'zod/mini';
import { IDENTITY_FILES_MAX, identityDecisionFields } from '../../identity/fields.ts';
import { PHOTO_CONTENT_TYPES } from '../../media/fields.ts';
import { body, bytes, json, operation, POSITION, type Operation, type Parameter } from '../operation.ts';
import { doneAnswer } from '../schemas/common.ts';
import { identityAnswer, identityChecksAnswer } from '../schemas/identity.ts';
import { paging, userId } from './parameters.ts';

const admin = { tag: 'Admin', access: 'admin' } as const;
const own = { tag: 'Accounts', access: 'bearer', path: '/account/identity' } as const;
const fileNumber: Parameter = {
  schema: z.int().check(z.minimum(1), z.maximum(IDENTITY_FILES_MAX)),
  words: 'Which picture; the first is 1.',
  example: 1,
};

/** Providers ask to be verified, admins decide (design, trust and privacy). */
export const identityOperations: readonly Operation[] = [
  operation({
    ...own,
    method: 'GET',
    id: 'getIdentityCheck',
    summary: 'Your last request to be verified',
    answers: { 200: json(identityAnswer, 'How it stands.') },
  }),
  operation({
    ...own,
    method: 'POST',
    id: 'requestIdentityCheck',
    summary: 'Ask to be verified',
    description:
      'One or two pictures of at most 10 MB each that show who you are. They are kept sealed, for admins alone, and destroyed with the decision.',
    body: { kind: 'files', field: 'files', maxFiles: IDENTITY_FILES_MAX, contentTypes: PHOTO_CONTENT_TYPES },
    answers: { 201: json(identityAnswer, 'An admin will look at it.', POSITION) },
    errors: [
      'ONLY_PROVIDERS_VERIFY',
      'VERIFICATION_REQUIRED',
      'IDENTITY_VERIFIED',
      'IDENTITY_CHECK_OPEN',
      'NO_PHOTO',
      'NOT_AN_IMAGE',
      'IDENTITY_FILE_TOO_LARGE',
      'TOO_MANY_IDENTITY_FILES',
    ],
  }),
  operation({
    ...admin,
    method: 'GET',
    path: '/admin/identity',
    id: 'listIdentityChecks',
    summary: 'List requests of providers to be verified',
    query: paging,
    headers: ['X-Wait-Position'],
    answers: { 200: json(identityChecksAnswer, 'A page of requests, the newest first.') },
  }),
  operation({
    ...admin,
    method: 'GET',
    path: '/admin/identity/{id}/files/{number}',
    id: 'getIdentityFile',
    summary: 'Look at a picture of a request',
    pathParameters: { id: userId, number: fileNumber },
    answers: { 200: bytes(['image/jpeg'], 'The picture.') },
    errors: ['IDENTITY_CHECK_NOT_FOUND'],
  }),
  operation({
    ...admin,
    method: 'POST',
    path: '/admin/identity/{id}/decide',
    id: 'decideIdentityCheck',
    summary: 'Accept or refuse a request',
    description:
      'Accepted, the provider is verified. The pictures are destroyed in either case, unless a legal hold keeps them; the decision is kept.',
    pathParameters: { id: userId },
    headers: ['Idempotency-Key'],
    body: body(identityDecisionFields, { accept: true, reason: 'Passport and face match.' }),
    answers: { 200: json(doneAnswer, 'It is decided.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'IDENTITY_CHECK_NOT_FOUND', 'OWN_IDENTITY', 'USER_NOT_FOUND'],
  }),
];
