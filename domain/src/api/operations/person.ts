import * as z from 'zod/mini';
import { erasureFields, personErasureFields, personReasonFields, RECEIPT_ID } from '../../person/fields.ts';
import { jsonBody, jsonResponse, defineOperation, POSITION_HEADERS, type Parameter } from '../operation.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import { erasureResponse, personDataResponse, receiptResponse } from '../schemas/person.ts';
import { userId } from './parameters.ts';

const receiptId: Parameter = {
  schema: z.string().check(z.regex(RECEIPT_ID)),
  description: 'Id of a receipt.',
  example: '0193a1b2-5b1d-4c53-9d51-0a6b7f1f3c11',
};
const admin = { tag: 'Admin', access: 'admin', pathParameters: { id: userId } } as const;
const write = { ...admin, headers: ['Idempotency-Key'] } as const;
const reasonBody = jsonBody(personReasonFields, { reason: 'Asked for by letter.' });

/**
 * Operations on erasures of personal data, and on legal holds. A legal hold forbids an erasure (T-15, decision 0044).
 */
export const personOperations = [
  defineOperation('eraseMe', 'POST', '/account/erasure', {
    tag: 'Accounts',
    access: 'bearer',
    rateLimits: ['erasure'],
    summary: 'Request the erasure of your data',
    description:
      'Every session ends at once. An erasure cannot be undone. A new account may sign up with the address later. ' +
      'The e-mail address must be verified, because an unverified address may belong to another person.',
    body: jsonBody(erasureFields, { password: 'correct horse battery' }),
    responses: {
      202: jsonResponse(
        erasureResponse,
        'The erasure is in progress, and the receipt shows its state. A repeated request continues it.',
        POSITION_HEADERS,
      ),
    },
    errors: ['WRONG_PASSWORD', 'VERIFICATION_REQUIRED', 'LEGAL_HOLD'],
  }),
  defineOperation('getErasure', 'GET', '/account/erasure/{receiptId}', {
    tag: 'Accounts',
    rateLimits: ['receipts'],
    summary: 'Get the state of an erasure',
    pathParameters: { receiptId },
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(receiptResponse, 'The receipt.') },
    errors: ['ERASURE_NOT_FOUND'],
  }),
  defineOperation('getPersonData', 'GET', '/admin/users/{id}/person', {
    ...admin,
    summary: 'Get the legal hold and the erasure of a person',
    description: 'Includes closed accounts.',
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(personDataResponse, 'Legal hold and erasure.') },
    errors: ['USER_NOT_FOUND'],
  }),
  defineOperation('erasePerson', 'POST', '/admin/users/{id}/erasure', {
    ...write,
    summary: 'Erase all data of a person',
    description:
      'For people who requested it in another way. Includes closed accounts. If `email` is not the address of the ' +
      'account, nothing is erased.',
    body: jsonBody(personErasureFields, { reason: 'Asked for by letter.', email: 'robin@example.com' }),
    responses: { 202: jsonResponse(erasureResponse, 'The erasure is in progress.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'OWN_ACCOUNT', 'OTHER_EMAIL', 'LEGAL_HOLD'],
  }),
  defineOperation('setLegalHold', 'PUT', '/admin/users/{id}/legal-hold', {
    ...write,
    summary: 'Set a legal hold, which forbids an erasure',
    body: reasonBody,
    responses: {
      200: jsonResponse(emptyResultResponse, 'The data is retained until the hold is lifted.', POSITION_HEADERS),
    },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'ERASURE_UNDER_WAY'],
  }),
  defineOperation('liftLegalHold', 'DELETE', '/admin/users/{id}/legal-hold', {
    ...write,
    summary: 'Lift a legal hold',
    body: reasonBody,
    responses: { 200: jsonResponse(emptyResultResponse, 'An erasure is possible again.', POSITION_HEADERS) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND'],
  }),
];
