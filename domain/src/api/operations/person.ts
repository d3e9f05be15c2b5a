import * as z from 'zod/mini';
import { erasureFields, personReasonFields, RECEIPT_ID } from '../../person/fields.ts';
import { body, json, operation, POSITION, type Operation, type Parameter } from '../operation.ts';
import { doneAnswer } from '../schemas/common.ts';
import { erasureAnswer, personDataAnswer, receiptAnswer } from '../schemas/person.ts';
import { userId } from './parameters.ts';

const receiptId: Parameter = {
  schema: z.string().check(z.regex(RECEIPT_ID)),
  words: 'Number of a receipt.',
  example: '0193a1b2-5b1d-4c53-9d51-0a6b7f1f3c11',
};
const ofAdmins = { tag: 'Admin', access: 'admin', pathParameters: { id: userId } } as const;
const why = body(personReasonFields, { reason: 'Asked for by letter.' });

/** What is held about a person, and its end (design, trust and privacy; decision 0044). */
export const personOperations: readonly Operation[] = [
  operation({
    tag: 'Accounts',
    access: 'bearer',
    method: 'POST',
    path: '/account/erasure',
    id: 'eraseMe',
    summary: 'Have everything held about oneself erased',
    description:
      'Every session ends at once. It cannot be taken back. The address may sign up again, as somebody new. An e-mail that was never verified may be somebody else’s: it has to be verified first.',
    body: body(erasureFields, { password: 'correct horse battery' }),
    answers: {
      202: json(
        erasureAnswer,
        'It is under way; the receipt tells how far it is. One that is under way already goes on.',
        POSITION,
      ),
    },
    errors: ['WRONG_PASSWORD', 'VERIFICATION_REQUIRED', 'LEGAL_HOLD'],
  }),
  operation({
    tag: 'Accounts',
    method: 'GET',
    path: '/account/erasure/{receiptId}',
    id: 'getErasure',
    summary: 'How far is an erasure?',
    pathParameters: { receiptId },
    headers: ['X-Wait-Position'],
    answers: { 200: json(receiptAnswer, 'The receipt.') },
    errors: ['ERASURE_NOT_FOUND'],
  }),
  operation({
    ...ofAdmins,
    method: 'GET',
    path: '/admin/users/{id}/person',
    id: 'getPersonData',
    summary: 'Is what is held about somebody to be kept, or to go?',
    description: 'Of closed accounts, too.',
    headers: ['X-Wait-Position'],
    answers: { 200: json(personDataAnswer, 'Legal hold and erasure.') },
    errors: ['USER_NOT_FOUND'],
  }),
  operation({
    ...ofAdmins,
    method: 'POST',
    path: '/admin/users/{id}/erasure',
    id: 'erasePerson',
    summary: 'Have everything held about somebody erased',
    description: 'For whoever asked for it in another way. Of closed accounts, too.',
    headers: ['Idempotency-Key'],
    body: why,
    answers: { 202: json(erasureAnswer, 'It is under way.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'OWN_ACCOUNT', 'LEGAL_HOLD'],
  }),
  operation({
    ...ofAdmins,
    method: 'PUT',
    path: '/admin/users/{id}/legal-hold',
    id: 'setLegalHold',
    summary: 'Keep everything held about somebody, whatever they ask',
    headers: ['Idempotency-Key'],
    body: why,
    answers: { 200: json(doneAnswer, 'It is kept until the hold is lifted.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND', 'ERASURE_UNDER_WAY'],
  }),
  operation({
    ...ofAdmins,
    method: 'DELETE',
    path: '/admin/users/{id}/legal-hold',
    id: 'liftLegalHold',
    summary: 'Keep it no longer',
    headers: ['Idempotency-Key'],
    body: why,
    answers: { 200: json(doneAnswer, 'Nothing speaks against an erasure any more.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'USER_NOT_FOUND'],
  }),
];
