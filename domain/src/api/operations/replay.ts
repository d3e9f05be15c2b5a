import { POSITION_IN_PATH, PROJECTION_NAME, skipFields } from '../../replay/fields.ts';
import * as z from 'zod/mini';
import { body, json, operation, POSITION, type Operation, type Parameter } from '../operation.ts';
import { doneAnswer } from '../schemas/common.ts';
import { differencesAnswer, parkedEventsAnswer, projectionsAnswer, rebuildRequestedAnswer } from '../schemas/replay.ts';
import { paging } from './parameters.ts';

const of = { tag: 'Admin', access: 'admin' } as const;
const name: Parameter = {
  schema: z.string().check(z.regex(PROJECTION_NAME)),
  words: 'Name of a projection.',
  example: 'ad_cards',
};
const position: Parameter = {
  schema: z.string().check(z.regex(POSITION_IN_PATH)),
  words: 'Position of a set-aside event, with - where it has a /.',
  example: '0000000000000000017',
};

const asked = (action: string, id: string, summary: string, description = ''): Operation =>
  operation({
    ...of,
    method: 'POST',
    path: `/admin/projections/{name}/${action}`,
    id,
    summary,
    description,
    pathParameters: { name },
    headers: ['Idempotency-Key'],
    answers: { 202: json(doneAnswer, 'The projectors will do so.', POSITION) },
    errors: [
      'PROJECTION_NOT_FOUND',
      ...(action === 'revert'
        ? (['NO_PREVIOUS_VERSION', 'REBUILD_UNDER_WAY'] as const)
        : (['REBUILD_NOT_POSSIBLE'] as const)),
    ],
  });

/** Replay: projections built anew beside those that are read, and events that were set aside. */
export const replayOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'GET',
    path: '/admin/projections',
    id: 'listProjections',
    summary: 'List projections, their rebuilds and what they have set aside',
    headers: ['X-Wait-Position'],
    answers: { 200: json(projectionsAnswer, 'Every projection.') },
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/projections/{name}/rebuild',
    id: 'rebuildProjection',
    summary: 'Build a projection anew from the first event',
    description:
      'In tables beside those that are read, which go on. It ends `ready`, compared row by row with what is read, and is swapped in by another call.',
    pathParameters: { name },
    headers: ['Idempotency-Key'],
    answers: { 202: json(rebuildRequestedAnswer, 'The projectors will do so.', POSITION) },
    errors: ['PROJECTION_NOT_FOUND', 'REBUILD_UNDER_WAY'],
  }),
  asked('pause', 'pauseRebuild', 'Let a rebuild rest'),
  asked('resume', 'resumeRebuild', 'Have a resting rebuild go on'),
  asked('cancel', 'cancelRebuild', 'Throw rebuilt tables away'),
  asked('swap', 'swapRebuild', 'Have the rebuilt tables read from now on', 'The tables of before are kept.'),
  asked(
    'revert',
    'revertRebuild',
    'Have the tables of before the last swap read again',
    'They take in what has happened since, and the others are kept in their turn.',
  ),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/projections/{name}/differences',
    id: 'listRebuildDifferences',
    summary: 'Show the first 100 rows that differ between what is read and what was rebuilt',
    pathParameters: { name },
    answers: { 200: json(differencesAnswer, 'Rows, and how many there are.') },
    errors: ['PROJECTION_NOT_FOUND', 'REBUILD_NOT_POSSIBLE'],
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/projections/{name}/parked',
    id: 'listParkedEvents',
    summary: 'List events a projection has set aside',
    pathParameters: { name },
    query: paging,
    headers: ['X-Wait-Position'],
    answers: { 200: json(parkedEventsAnswer, 'A page of events, those set aside first first.') },
    errors: ['PROJECTION_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/projections/{name}/parked/{position}/retry',
    id: 'retryParkedEvent',
    summary: 'Try a set-aside event again, and those behind it',
    pathParameters: { name, position },
    headers: ['Idempotency-Key'],
    answers: { 202: json(doneAnswer, 'The projectors will do so.', POSITION) },
    errors: ['PROJECTION_NOT_FOUND', 'PARKED_EVENT_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/projections/{name}/parked/{position}/skip',
    id: 'skipParkedEvent',
    summary: 'Leave a set-aside event out of a projection for good',
    description: 'Those behind it are handled, and rebuilds leave it out as well.',
    pathParameters: { name, position },
    headers: ['Idempotency-Key'],
    body: body(skipFields, { reason: 'Written by a fault that is mended.' }),
    answers: { 202: json(doneAnswer, 'The projectors will do so.', POSITION) },
    errors: ['REQUIRED_FIELDS', 'PROJECTION_NOT_FOUND', 'PARKED_EVENT_NOT_FOUND', 'TOO_MANY_SKIPPED'],
  }),
];
