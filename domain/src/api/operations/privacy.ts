import { newConsentFields } from '../../consent/fields.ts';
import { CONSENT_KINDS } from '../../consent/texts.ts';
import { registerResponse } from '../component.ts';
import { jsonBody, binaryResponse, jsonResponse, defineOperation, POSITION_HEADERS } from '../operation.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { staffReadsResponse } from '../schemas/privacy.ts';
import { idLike, pagingWith, userId } from './parameters.ts';

const zip = {
  200: registerResponse(
    'Archive',
    binaryResponse(['application/zip'], 'A ZIP file, which is streamed while its files are collected.'),
  ),
};

/** Operations on data exports, on consents, and on the log of reads of personal data by staff (T-14, T-18). */
export const privacyOperations = [
  defineOperation('exportOwnData', 'GET', '/account/export', {
    rateLimits: ['exports'],
    tag: 'Accounts',
    access: 'bearer',
    summary: 'Export your own data',
    description:
      'A ZIP file with JSON, photos and videos. Secrets, such as the hash of the password, ' +
      'and the identities of staff are left out. The address must be verified.',
    responses: zip,
    errors: ['VERIFICATION_REQUIRED'],
  }),
  defineOperation('recordConsent', 'POST', '/consents', {
    rateLimits: ['consents'],
    tag: 'Accounts',
    access: 'optional',
    summary: 'Record a consent',
    description:
      `One of ${CONSENT_KINDS.join(', ')}, with the version of the text. ` +
      'The consent belongs to the account or, without a login, to the id of the visitor.',
    headers: ['Idempotency-Key'],
    body: jsonBody(newConsentFields, {
      kind: 'cookies',
      textVersion: 1,
      choice: 'essential',
      visitorId: '5f0c1b9e-2f7c-4f1a-9a53-1f8d0f0c7e21',
    }),
    responses: { 200: jsonResponse(emptyResultResponse, 'The consent was recorded.', POSITION_HEADERS) },
  }),
  defineOperation('exportDataOf', 'GET', '/admin/users/{id}/export', {
    tag: 'Admin',
    access: 'admin',
    summary: 'Export the data of a person',
    description: 'The same file that the person would receive. A closed account can be exported until its erasure.',
    pathParameters: { id: userId },
    responses: zip,
    errors: ['USER_NOT_FOUND'],
  }),
  defineOperation('listStaffReads', 'GET', '/admin/staff-reads', {
    tag: 'Admin',
    access: 'admin',
    summary: 'List the reads of personal data by staff',
    description: 'The reads of the last year, the newest first.',
    queryParameters: {
      staff: {
        schema: idLike(/^[\w-]{1,64}$/u),
        description: 'Only reads by this staff member.',
        example: userId.example,
      },
      subject: {
        schema: idLike(/^[\w:.-]{1,120}$/u),
        description: 'Only reads about this account or other subject.',
        example: userId.example,
      },
      ...pagingWith((text) => /^[0-9a-f-]{36}$/u.test(text)),
    },
    responses: { 200: jsonResponse(staffReadsResponse, 'A page of reads.') },
  }),
];
