import { POSITION_IN_PATH, PROJECTION_NAME, skipEventFields } from '../../replay/fields.ts';
import * as z from 'zod/mini';
import { registerParameter, registerResponse } from '../component.ts';
import { jsonBody, jsonResponse, defineOperation, POSITION_HEADERS } from '../operation.ts';
import { emptyResultResponse } from '../schemas/common.ts';
import {
  differencesResponse,
  parkedEventsResponse,
  projectionsResponse,
  rebuildRequestedResponse,
} from '../schemas/replay.ts';
import { pagingParameters } from './parameters.ts';

const common = { tag: 'Admin', access: 'admin' } as const;
const write = { ...common, headers: ['Idempotency-Key'] } as const;
const name = registerParameter('ProjectionName', {
  schema: z.string().check(z.regex(PROJECTION_NAME)),
  description: 'Name of a projection.',
  example: 'ad_cards',
  errorCode: 'PROJECTION_NOT_FOUND',
});
const position = registerParameter('ParkedPosition', {
  schema: z.string().check(z.regex(POSITION_IN_PATH)),
  description: 'Position of a parked event, with - instead of /.',
  example: '0000000000000000017',
});

const REQUESTED = registerResponse(
  'RequestedOfProjectors',
  jsonResponse(emptyResultResponse, 'The projectors will carry out the request.', POSITION_HEADERS),
);

const rebuildOperation = <const Action extends string, const Id extends string>(
  action: Action,
  id: Id,
  summary: string,
  description = '',
) =>
  defineOperation(id, 'POST', `/admin/projections/{name}/${action}`, {
    ...write,
    summary,
    description,
    pathParameters: { name },
    responses: { 202: REQUESTED },
    errors: [
      'PROJECTION_NOT_FOUND',
      ...(action === 'revert'
        ? (['NO_PREVIOUS_VERSION', 'REBUILD_UNDER_WAY'] as const)
        : (['REBUILD_NOT_POSSIBLE'] as const)),
    ],
  });

/**
 * Operations on rebuilds of projections and on parked events. A projection derives tables from events. A rebuild fills
 * new tables while the live tables stay in use. A parked event is an event that a projection could not handle.
 */
export const replayOperations = [
  defineOperation('listProjections', 'GET', '/admin/projections', {
    ...common,
    summary: 'List projections with their rebuilds and parked events',
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(projectionsResponse, 'Every projection.') },
  }),
  defineOperation('rebuildProjection', 'POST', '/admin/projections/{name}/rebuild', {
    ...write,
    summary: 'Rebuild a projection from the first event',
    description:
      'The rebuild fills new tables while the live tables stay in use. When it is `ready`, the tables were compared ' +
      'row by row. A separate request swaps the new tables in.',
    pathParameters: { name },
    responses: {
      202: jsonResponse(rebuildRequestedResponse, 'The projectors will carry out the request.', POSITION_HEADERS),
    },
    errors: ['PROJECTION_NOT_FOUND', 'REBUILD_UNDER_WAY'],
  }),
  rebuildOperation('pause', 'pauseRebuild', 'Pause a rebuild'),
  rebuildOperation('resume', 'resumeRebuild', 'Resume a paused rebuild'),
  rebuildOperation('cancel', 'cancelRebuild', 'Discard the rebuilt tables'),
  rebuildOperation(
    'swap',
    'swapRebuild',
    'Replace the live tables with the rebuilt ones',
    'The previous tables are retained.',
  ),
  rebuildOperation(
    'revert',
    'revertRebuild',
    'Restore the tables from before the last swap',
    'The tables first catch up with later events. The replaced tables are retained.',
  ),
  defineOperation('listRebuildDifferences', 'GET', '/admin/projections/{name}/differences', {
    ...common,
    summary: 'List the first 100 rows that differ between the live and the rebuilt tables',
    pathParameters: { name },
    responses: { 200: jsonResponse(differencesResponse, 'The rows and their total number.') },
    errors: ['PROJECTION_NOT_FOUND', 'REBUILD_NOT_POSSIBLE'],
  }),
  defineOperation('listParkedEvents', 'GET', '/admin/projections/{name}/parked', {
    ...common,
    summary: 'List the parked events of a projection',
    pathParameters: { name },
    queryParameters: pagingParameters,
    headers: ['X-Wait-Position'],
    responses: { 200: jsonResponse(parkedEventsResponse, 'A page of parked events, the first parked one first.') },
    errors: ['PROJECTION_NOT_FOUND'],
  }),
  defineOperation('retryParkedEvent', 'POST', '/admin/projections/{name}/parked/{position}/retry', {
    ...write,
    summary: 'Retry a parked event and the events that wait for it',
    pathParameters: { name, position },
    responses: { 202: REQUESTED },
    errors: ['PROJECTION_NOT_FOUND', 'PARKED_EVENT_NOT_FOUND'],
  }),
  defineOperation('skipParkedEvent', 'POST', '/admin/projections/{name}/parked/{position}/skip', {
    ...write,
    summary: 'Exclude a parked event from a projection permanently',
    description: 'The events that wait for it are handled, and rebuilds exclude it as well.',
    pathParameters: { name, position },
    body: jsonBody(skipEventFields, { reason: 'Caused by a bug that is fixed.' }),
    responses: { 202: REQUESTED },
    errors: ['REQUIRED_FIELDS', 'PROJECTION_NOT_FOUND', 'PARKED_EVENT_NOT_FOUND', 'TOO_MANY_SKIPPED'],
  }),
];
