import * as z from 'zod/mini';
import { newConsent } from '../../consent/fields.ts';
import { CONSENT_KINDS } from '../../consent/texts.ts';
import { body, bytes, json, operation, POSITION, type Operation, type Parameter } from '../operation.ts';
import { doneAnswer } from '../schemas/common.ts';
import { staffReadsAnswer } from '../schemas/privacy.ts';
import { paging, userId } from './parameters.ts';

const account: Parameter = { ...userId, words: 'Only what is about this account, or this thing.' };
const zip = { 200: bytes(['application/zip'], 'The files, one after the other as they are found.') };

/** What is held about people, and who looked (design, trust and privacy, "Personal data"). */
export const privacyOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/account/export',
    id: 'exportOwnData',
    tag: 'Accounts',
    access: 'bearer',
    summary: 'Get everything that is held about you',
    description:
      'A ZIP file of JSON and of your photos and videos. Secrets, such as the hash of your password, are left out, and so is who of the staff did something.',
    answers: zip,
  }),
  operation({
    method: 'POST',
    path: '/consents',
    id: 'recordConsent',
    tag: 'Accounts',
    access: 'optional',
    summary: 'Note what you said to a text',
    description: `One of ${CONSENT_KINDS.join(', ')}, with the version of the text. It counts for the account, or, where nobody is signed in, for the visitor's id.`,
    headers: ['Idempotency-Key'],
    body: body(newConsent, {
      kind: 'cookies',
      textVersion: 1,
      choice: 'essential',
      visitorId: '5f0c1b9e-2f7c-4f1a-9a53-1f8d0f0c7e21',
    }),
    answers: { 200: json(doneAnswer, 'It is noted.', POSITION) },
  }),
  operation({
    method: 'GET',
    path: '/admin/users/{id}/export',
    id: 'exportDataOf',
    tag: 'Admin',
    access: 'admin',
    summary: 'Get everything that is held about a person',
    description: 'As they would get it themselves; of a closed account what is still held of it, until it is erased.',
    pathParameters: { id: userId },
    answers: zip,
    errors: ['USER_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/staff-reads',
    id: 'listStaffReads',
    tag: 'Admin',
    access: 'admin',
    summary: 'List what staff have read of personal data',
    description: 'From the newest to the oldest, of the last year.',
    query: {
      staff: { ...userId, words: 'Only what this member of staff has read.' },
      subject: { ...account, schema: z.string().check(z.regex(/^[\w:-]{1,120}$/u)) },
      ...paging,
    },
    answers: { 200: json(staffReadsAnswer, 'A page of reads.') },
  }),
];
