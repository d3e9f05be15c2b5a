import * as z from 'zod/mini';
import { jsonResponse, defineOperation, type Parameter } from '../operation.ts';
import { dailyRootsResponse, logResponse, proofResponse } from '../schemas/audit.ts';
import { idLike, pagingWith } from './parameters.ts';

const moderation = { tag: 'Moderation', access: 'moderator' } as const;
const eventId = {
  schema: z.uuid(),
  description: 'Id of an event.',
  example: '0193a1b2-0000-7000-8000-000000000002',
  errorCode: 'NOT_FOUND',
} as const satisfies Parameter;
/** Returns true for a day from the year 2000 to 2999. */
const isDay = (text: string) => text.startsWith('2') && z.iso.date().safeParse(text).success;

/**
 * Operations that return the moderation log, its daily root hashes, and proofs that the log contains an entry (T-11).
 */
export const auditOperations = [
  defineOperation('listDailyRoots', 'GET', '/audit/roots', {
    tag: 'Moderation',
    summary: 'List the daily roots of the moderation log',
    description:
      'From the newest to the oldest. A root reveals no entries. ' +
      'A copy of a root proves that no entry of its day was changed later.',
    queryParameters: pagingWith(isDay),
    responses: { 200: jsonResponse(dailyRootsResponse, 'A page of roots.') },
  }),
  defineOperation('listLogEntries', 'GET', '/admin/log', {
    ...moderation,
    summary: 'List the entries of the moderation log',
    description: 'From the newest to the oldest.',
    queryParameters: {
      type: {
        schema: idLike(/^[A-Za-z]{1,60}$/u),
        description: 'Only entries of this type of event.',
        example: 'AdHidden',
      },
      actor: {
        schema: idLike(/^[\w-]{1,64}$/u),
        description: 'Only actions of this account or part of the system.',
        example: 'report',
      },
      ...pagingWith((text) => /^[1-9][0-9]{0,14}$/u.test(text)),
    },
    responses: { 200: jsonResponse(logResponse, 'A page of entries.') },
  }),
  defineOperation('getLogProof', 'GET', '/admin/log/{eventId}/proof', {
    ...moderation,
    summary: 'Prove that an event is in the moderation log',
    pathParameters: { eventId },
    responses: { 200: jsonResponse(proofResponse, 'The proof, or null until the day of the event is over.') },
    errors: ['NOT_FOUND'],
  }),
];
