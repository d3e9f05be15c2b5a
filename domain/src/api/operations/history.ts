import * as z from 'zod/mini';
import { registerParameter, registerResponse } from '../component.ts';
import { jsonResponse, defineOperation } from '../operation.ts';
import { textLike } from '../parameter-schemas.ts';
import {
  accountSnapshotResponse,
  adSnapshotResponse,
  adRankResponse,
  historyResponse,
  threadSnapshotResponse,
} from '../schemas/history.ts';
import { adId, pagingParameters, threadId, userId } from './parameters.ts';

const moderation = { tag: 'Moderation', access: 'moderator' } as const;
const admin = { tag: 'Admin', access: 'admin' } as const;
const A_TIME = '2026-01-01T12:00:00.000Z';
const time = registerParameter('Moment', {
  schema: z.optional(
    z.pipe(
      z.iso.datetime({ offset: true, error: 'This is not a time as ISO 8601 has it' }),
      z.transform((text) => new Date(text).toISOString()),
    ),
  ),
  description: 'A point in time, ISO 8601. The default is now.',
  example: A_TIME,
});
const moments = {
  at: time,
  and: registerParameter('OtherMoment', { ...time, description: 'A second point in time, to compare with the first.' }),
};

const listed = {
  ...pagingParameters,
  type: registerParameter('EventType', {
    schema: textLike(/^(?:[A-Z][A-Za-z]{2,59})?$/u, 'This is no type of event'),
    description: 'Only events of this type.',
    example: 'AdBumped',
  }),
  format: registerParameter('HistoryFormat', {
    schema: z.optional(z.enum(['json', 'csv'], 'A history is exported as json or csv')),
    description: 'Returns the whole history as a file, the first event first, instead of one page.',
    example: 'csv',
  }),
};
const history = registerResponse('History', {
  ...jsonResponse(
    historyResponse,
    'A page of events, the last one first. With `format`, all events as a file, the first one first.',
  ),
  contentTypes: ['application/json', 'text/csv'],
});

/**
 * Operations that return the changes of ads, accounts and threads, and their state at any moment (T-10). Each read by
 * staff is logged.
 */
export const historyOperations = [
  defineOperation('listAdHistory', 'GET', '/admin/ads/{id}/history', {
    ...moderation,
    summary: 'List every change of an ad, field by field',
    description: 'Includes deleted ads. The texts of an erased person are not in the history.',
    pathParameters: { id: adId },
    queryParameters: listed,
    headers: ['X-Wait-Position'],
    responses: { 200: history },
    errors: ['AD_NOT_FOUND'],
  }),
  defineOperation('explainAdRank', 'GET', '/admin/ads/{id}/rank', {
    ...moderation,
    summary: 'Explain the rank of an ad in the list of its city and category',
    pathParameters: { id: adId },
    queryParameters: { at: time },
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(adRankResponse, 'The rank at that time, with the neighboring ads.') },
    errors: ['AD_NOT_FOUND'],
  }),
  defineOperation('getAdAsOf', 'GET', '/admin/ads/{id}', {
    ...moderation,
    summary: 'Get a snapshot of an ad',
    pathParameters: { id: adId },
    queryParameters: moments,
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(adSnapshotResponse, 'The complete ad.') },
    errors: ['AD_NOT_FOUND'],
  }),
  defineOperation('listUserHistory', 'GET', '/admin/users/{id}/history', {
    ...admin,
    summary: 'List every change of an account, field by field',
    pathParameters: { id: userId },
    queryParameters: listed,
    responses: { 200: history },
    errors: ['USER_NOT_FOUND'],
  }),
  defineOperation('getUserAsOf', 'GET', '/admin/users/{id}/as-of', {
    ...admin,
    summary: 'Get a snapshot of an account',
    pathParameters: { id: userId },
    queryParameters: moments,
    responses: { 200: jsonResponse(accountSnapshotResponse, 'The account.') },
    errors: ['USER_NOT_FOUND'],
  }),
  defineOperation('listThreadHistory', 'GET', '/admin/community/threads/{id}/history', {
    ...moderation,
    summary: 'List every change of a thread and its posts, field by field',
    pathParameters: { id: threadId },
    queryParameters: listed,
    responses: { 200: history },
    errors: ['THREAD_NOT_FOUND'],
  }),
  defineOperation('getThreadAsOf', 'GET', '/admin/community/threads/{id}', {
    ...moderation,
    summary: 'Get a snapshot of a thread',
    pathParameters: { id: threadId },
    queryParameters: {
      ...moments,
      post: {
        schema: textLike(/^[0-9]{0,7}$/u, 'A post has a number'),
        description: 'The number of the first requested post. The default is 0.',
        example: '50',
      },
    },
    responses: { 200: jsonResponse(threadSnapshotResponse, 'The thread, with 50 posts.') },
    errors: ['THREAD_NOT_FOUND'],
  }),
];
