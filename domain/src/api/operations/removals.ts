import * as z from 'zod/mini';
import {
  decideRemovalAppealFields,
  decideRemovalFields,
  exportRemovalFields,
  newRemovalFields,
  REMOVAL_DEADLINE_ms,
  REMOVAL_ID,
  REMOVAL_LINKS_MAX,
  REMOVAL_SUBJECTS_MAX,
  removalTextFields,
} from '../../removal/fields.ts';
import { registerParameter } from '../component.ts';
import {
  binaryResponse,
  conditionalRead,
  defineOperation,
  jsonBody,
  jsonResponse,
  POSITION_HEADERS,
  type RequestHeader,
} from '../operation.ts';
import { choice } from '../parameter-schemas.ts';
import {
  removalRequestedResponse,
  removalResponse,
  removalsResponse,
  removalWriteResponse,
  staffRemovalResponse,
} from '../schemas/removals.ts';
import { pagingParameters } from './parameters.ts';

const HOURS = REMOVAL_DEADLINE_ms / 3_600_000;

const removalId = registerParameter('RemovalId', {
  schema: z.string().check(z.regex(REMOVAL_ID)),
  description: 'Id of a removal request.',
  example: '0193a1b2-5b1d-4c53-9d51-0a6b7f1f3c11',
  errorCode: 'REMOVAL_NOT_FOUND',
});
const A_REMOVAL = { id: removalId };
const TOKEN: readonly RequestHeader[] = ['X-Removal-Token'];
const TEXT = { text: 'It is also in the second picture.' };

const open = { tag: 'Reports', access: 'none' } as const;
const own = { ...open, rateLimits: ['receipts'], pathParameters: A_REMOVAL, headers: TOKEN } as const;
const staff = { tag: 'Moderation', access: 'moderator' } as const;
const write = { ...staff, headers: ['Idempotency-Key'], pathParameters: A_REMOVAL } as const;
const WRITTEN = { 200: jsonResponse(removalWriteResponse, 'Done.', POSITION_HEADERS) };
const DECIDED = { 200: jsonResponse(removalWriteResponse, 'The decision is recorded.', POSITION_HEADERS) };

/** The lists of removal requests that a moderator can select. */
const REMOVAL_LISTS = ['waiting', 'closed'] as const;

/** Operations on requests to remove intimate pictures of a person who has not consented. */
export const removalOperations = [
  defineOperation('requestRemoval', 'POST', '/removal-requests', {
    ...open,
    summary: 'Request the removal of intimate pictures',
    description:
      'A login is not required. The named content is hidden at once, unless a limit is reached (R-18.6). ' +
      `A moderator decides within ${HOURS} hours. A request names at least one link or hash, at most ` +
      `${REMOVAL_LINKS_MAX} of each, and at most ${REMOVAL_SUBJECTS_MAX} contents. A hash is the perceptual hash of ` +
      'a photo (PDQ, 64 hexadecimal digits). It names the published photos that are similar, also mirrored ones. ' +
      'The form of the product computes the hashes of chosen pictures in the browser.',
    headers: ['Idempotency-Key'],
    body: jsonBody(newRemovalFields, {
      name: 'Anna Example',
      email: 'anna@example.com',
      relation: 'self',
      links: ['/ad/0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11'],
      hashes: [],
      statement: true,
      signature: 'Anna Example',
    }),
    responses: { 201: jsonResponse(removalRequestedResponse, 'The request was recorded.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS'],
  }),
  defineOperation('getRemovalRequest', 'GET', '/removal-requests/{id}', {
    ...own,
    summary: 'Get the state of a removal request',
    description: 'Requires the token at the end of `statusUrl`.',
    responses: { 200: jsonResponse(removalResponse, 'The request.') },
    errors: ['REMOVAL_NOT_FOUND'],
  }),
  defineOperation('addRemovalNote', 'POST', '/removal-requests/{id}/notes', {
    ...own,
    summary: 'Add a text to a removal request',
    body: jsonBody(removalTextFields, TEXT),
    responses: WRITTEN,
    errors: ['REQUIRED_FIELDS', 'REMOVAL_NOT_FOUND', 'REMOVAL_CLOSED', 'TOO_MANY_NOTES'],
  }),
  defineOperation('withdrawRemoval', 'POST', '/removal-requests/{id}/withdraw', {
    ...own,
    summary: 'Withdraw a removal request',
    description: 'The content is visible again, unless something else hides it.',
    responses: WRITTEN,
    errors: ['REMOVAL_NOT_FOUND', 'REMOVAL_CLOSED'],
  }),
  defineOperation('appealRemoval', 'POST', '/removal-requests/{id}/appeal', {
    ...own,
    summary: 'Appeal against the rejection of a removal request',
    description: 'Once, within 30 days. Another moderator decides.',
    body: jsonBody(removalTextFields, TEXT),
    responses: WRITTEN,
    errors: ['REQUIRED_FIELDS', 'REMOVAL_NOT_FOUND', 'NOT_APPEALABLE', 'ALREADY_APPEALED', 'APPEAL_OVER'],
  }),

  defineOperation('listRemovals', 'GET', '/admin/moderation/removals', {
    ...staff,
    summary: 'List removal requests',
    description: 'Waiting requests and appeals: the earliest deadline first. Closed ones: the newest first.',
    queryParameters: {
      state: {
        schema: choice('state', REMOVAL_LISTS, 'waiting'),
        description: 'The list. The default is `waiting`.',
        example: 'closed',
      },
      ...pagingParameters,
    },
    ...conditionalRead(removalsResponse, 'A page of requests.'),
  }),
  defineOperation('getRemoval', 'GET', '/admin/moderation/removals/{id}', {
    ...staff,
    summary: 'Get one removal request with everything that is needed to decide it',
    description: 'The access is recorded in the log of staff reads.',
    pathParameters: A_REMOVAL,
    ...conditionalRead(staffRemovalResponse, 'The request.'),
    errors: ['REMOVAL_NOT_FOUND'],
  }),
  defineOperation('decideRemoval', 'POST', '/admin/moderation/removals/{id}/decide', {
    ...write,
    summary: 'Decide a removal request',
    description:
      '`valid` removes the named content and all known copies. `rejected` shows it again. ' +
      'The person who has asked and the poster read the facts.',
    body: jsonBody(decideRemovalFields, { outcome: 'valid', facts: 'The person did not consent.' }),
    responses: DECIDED,
    errors: ['REQUIRED_FIELDS', 'REMOVAL_NOT_FOUND', 'NOTHING_TO_DECIDE', 'OWN_CONTENT'],
  }),
  defineOperation('decideRemovalAppeal', 'POST', '/admin/moderation/removals/{id}/appeal', {
    ...write,
    summary: 'Decide the appeal against a rejection',
    description: 'Requires another moderator than the one who has rejected. `overturned` removes the content.',
    body: jsonBody(decideRemovalAppealFields, { outcome: 'overturned', facts: 'The person did not consent.' }),
    responses: DECIDED,
    errors: ['REQUIRED_FIELDS', 'REMOVAL_NOT_FOUND', 'NO_APPEAL', 'ANOTHER_MODERATOR', 'OWN_CONTENT'],
  }),
  defineOperation('exportRemoval', 'POST', '/admin/moderation/removals/{id}/export', {
    tag: 'Moderation',
    access: 'admin',
    service: 'query',
    summary: 'Export a removal request as a sealed file',
    description:
      'The file contains the request, its decisions, the cases of the named content and their proofs, as JSON. It is ' +
      'encrypted with the passphrase: `openssl enc -d -aes-256-cbc -pbkdf2 -iter 600000 -md sha256`.',
    pathParameters: A_REMOVAL,
    body: jsonBody(exportRemovalFields, { passphrase: 'twelve quiet words for counsel' }),
    responses: { 200: binaryResponse(['application/octet-stream'], 'The encrypted file.') },
    errors: ['REMOVAL_NOT_FOUND'],
  }),
];
