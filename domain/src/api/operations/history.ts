import * as z from 'zod/mini';
import { json, operation, type Answer, type Operation, type Parameter } from '../operation.ts';
import { accountAsOfAnswer, adAsOfAnswer, adRankAnswer, historyAnswer, threadAsOfAnswer } from '../schemas/history.ts';
import { adId, paging, threadId, userId } from './parameters.ts';

const A_TIME = '2026-01-01T12:00:00.000Z';
const time: Parameter = {
  schema: z.iso.datetime({ offset: true }),
  words: 'A moment, ISO 8601; now where nothing is said.',
  example: A_TIME,
};
const moments = { at: time, and: { ...time, words: 'Another moment, to be compared with the first.' } };

const listed: Readonly<Record<string, Parameter>> = {
  ...paging,
  type: {
    schema: z.string().check(z.regex(/^(?:[A-Z][A-Za-z]{2,59})?$/u)),
    words: 'Only events of this type.',
    example: 'AdBumped',
  },
  format: {
    schema: z.enum(['json', 'csv']),
    words: 'The whole history as a file, from the first event on, rather than a page of it from the last event on.',
    example: 'csv',
  },
};
const history: Answer = {
  ...json(
    historyAnswer,
    'A page of events, the last one first; with `format`, all of them as a file, the first one first.',
  ),
  contentTypes: ['application/json', 'text/csv'],
};

/** What happened to an ad, an account and a thread, and how they stood at any moment (design, trust and privacy). What staff read is logged. */
export const historyOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/admin/ads/{id}/history',
    id: 'listAdHistory',
    tag: 'Moderation',
    access: 'moderator',
    summary: 'Everything that happened to an ad, field by field',
    description: 'Of ads that are gone as well. The words of somebody who was erased are gone from its history, too.',
    pathParameters: { id: adId },
    query: listed,
    headers: ['X-Wait-Position'],
    answers: { 200: history },
    errors: ['AD_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/ads/{id}/rank',
    id: 'explainAdRank',
    tag: 'Moderation',
    access: 'moderator',
    summary: 'Why an ad stood where it did in the list of its city and category',
    pathParameters: { id: adId },
    query: { at: time },
    headers: ['X-Wait-Position'],
    answers: { 200: json(adRankAnswer, 'Its place at that moment, with what stood around it.') },
    errors: ['AD_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/ads/{id}',
    id: 'getAdAsOf',
    tag: 'Moderation',
    access: 'moderator',
    summary: 'An ad as it stood at a moment',
    pathParameters: { id: adId },
    query: moments,
    headers: ['X-Wait-Position'],
    answers: { 200: json(adAsOfAnswer, 'The whole of the ad.') },
    errors: ['AD_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/users/{id}/history',
    id: 'listUserHistory',
    tag: 'Admin',
    access: 'admin',
    summary: 'Everything that happened to an account, field by field',
    pathParameters: { id: userId },
    query: listed,
    answers: { 200: history },
    errors: ['USER_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/users/{id}/as-of',
    id: 'getUserAsOf',
    tag: 'Admin',
    access: 'admin',
    summary: 'An account as it stood at a moment',
    pathParameters: { id: userId },
    query: moments,
    answers: { 200: json(accountAsOfAnswer, 'The account.') },
    errors: ['USER_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/community/threads/{id}/history',
    id: 'listThreadHistory',
    tag: 'Moderation',
    access: 'moderator',
    summary: 'Everything that happened to a thread and its posts, field by field',
    pathParameters: { id: threadId },
    query: listed,
    answers: { 200: history },
    errors: ['THREAD_NOT_FOUND'],
  }),
  operation({
    method: 'GET',
    path: '/admin/community/threads/{id}',
    id: 'getThreadAsOf',
    tag: 'Moderation',
    access: 'moderator',
    summary: 'A thread as it stood at a moment',
    pathParameters: { id: threadId },
    query: {
      ...moments,
      post: {
        schema: z.string().check(z.regex(/^[0-9]{0,7}$/u)),
        words: 'The number of the first post wanted; 0 where nothing is said.',
        example: '50',
      },
    },
    answers: { 200: json(threadAsOfAnswer, 'The thread, with 50 posts.') },
    errors: ['THREAD_NOT_FOUND'],
  }),
];
