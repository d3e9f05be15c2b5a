import * as z from 'zod/mini';
import { json, operation, type Operation, type Parameter } from '../operation.ts';
import { dailyRootsAnswer, logAnswer, proofAnswer } from '../schemas/audit.ts';
import { paging } from './parameters.ts';

const moderation = { tag: 'Moderation', access: 'moderator' } as const;
const eventId: Parameter = {
  schema: z.uuid(),
  words: 'Id of an event.',
  example: '0193a1b2-0000-7000-8000-000000000002',
};

/** The moderation log and what proves it (design, trust and privacy). */
export const auditOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/audit/roots',
    id: 'listDailyRoots',
    tag: 'Moderation',
    summary: 'List the daily roots of the moderation log',
    description:
      'From the newest to the oldest. A root says nothing of what happened; whoever kept one can tell that no entry of its day was changed since.',
    query: paging,
    answers: { 200: json(dailyRootsAnswer, 'A page of roots.') },
  }),
  operation({
    ...moderation,
    method: 'GET',
    path: '/admin/log',
    id: 'listLogEntries',
    summary: 'List the entries of the moderation log',
    description: 'From the newest to the oldest.',
    query: {
      type: {
        schema: z.string().check(z.regex(/^[A-Za-z]{1,60}$/u)),
        words: 'Only entries of this type of event.',
        example: 'AdHidden',
      },
      actor: {
        schema: z.string().check(z.regex(/^[\w-]{1,64}$/u)),
        words: 'Only what this account, or this part of the system, did.',
        example: 'report',
      },
      ...paging,
    },
    answers: { 200: json(logAnswer, 'A page of entries.') },
  }),
  operation({
    ...moderation,
    method: 'GET',
    path: '/admin/log/{eventId}/proof',
    id: 'getLogProof',
    summary: 'Prove that an event is in the moderation log',
    pathParameters: { eventId },
    answers: { 200: json(proofAnswer, 'The proof, or null until its day is over.') },
    errors: ['NOT_FOUND'],
  }),
];
