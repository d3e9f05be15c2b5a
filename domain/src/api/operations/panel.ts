import * as z from 'zod/mini';
import { JOB_STATES } from '../../admin-fields.ts';
import { registerParameter } from '../component.ts';
import { jsonResponse, defineOperation, POSITION_HEADERS, conditionalReadResponses } from '../operation.ts';
import { choice } from '../parameter-schemas.ts';
import { jobResponse, jobsResponse, jobActionResponse, queuesResponse } from '../schemas/jobs.ts';
import { overviewResponse } from '../schemas/overview.ts';
import { pictureChecksResponse } from '../schemas/picture-checks.ts';
import { requestResponse } from '../schemas/requests.ts';
import { pagingWith } from './parameters.ts';

const common = { tag: 'Admin', access: 'admin' } as const;
const text = (max: number) => z.string().check(z.maxLength(max));
const queue = registerParameter('JobQueue', {
  schema: text(40),
  description: 'A job kind.',
  example: 'photo-variants',
});
const id = registerParameter('JobId', {
  schema: text(300),
  description: 'Id of a job, URL-encoded.',
  example: 'job-0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11',
});
const job = { ...common, pathParameters: { queue, id } } as const;
const requestId = registerParameter('RequestId', {
  schema: z.string().check(z.regex(/^[\w.-]{8,64}$/u)),
  description:
    'The id of a request: the `X-Request-Id` of its response, which error screens show as reference. Its first 12 ' +
    'characters, which other error messages show, are enough to find a request with a recorded error response.',
  example: '0f6c9a3e5b1d4c539d510a6b7f1f3c11',
  errorCode: 'NOT_FOUND',
});

/**
 * Operations that return an overview of the product to admins and manage background jobs. They complement the other
 * operations for admins.
 */
export const panelOperations = [
  defineOperation('getOverview', 'GET', '/admin/overview', {
    ...common,
    summary: 'Get an overview of users, ads, reports, queues, read models, live clients and the last 30 days',
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(overviewResponse, 'The overview, which is cached for a few seconds.'),
  }),
  defineOperation('getPictureChecks', 'GET', '/admin/picture-checks', {
    ...common,
    summary: 'Get the progress of the checks of published pictures',
    description: 'When a list of pictures that must not be published has grown, everything published is checked again.',
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(pictureChecksResponse, 'All checks that have begun.'),
  }),
  defineOperation('getRequest', 'GET', '/admin/requests/{id}', {
    ...common,
    summary: 'Find a request by its id: its error responses, its events, and how far they are handled',
    description:
      'Events can be found for 30 days, error responses with status 500 or more, too, and others for 7 days. If a ' +
      'process receives very many invalid requests, not all of them are recorded. Each read is logged.',
    pathParameters: { id: requestId },
    responses: { 200: jsonResponse(requestResponse, 'What is known about the request.') },
    errors: ['NOT_FOUND'],
  }),
  defineOperation('listQueues', 'GET', '/admin/jobs', {
    ...common,
    summary: 'Count the jobs of each kind by state',
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(queuesResponse, 'All queues.'),
  }),
  defineOperation('listJobs', 'GET', '/admin/jobs/{queue}', {
    ...common,
    summary: 'List the jobs of a kind in one state',
    pathParameters: { queue },
    queryParameters: {
      state: {
        schema: choice('state', JOB_STATES, 'dead'),
        description: 'The state. The default is `dead`.',
        example: 'dead',
      },
      // The cursor is the number of jobs before the page, because a queue has no other stable cursor.
      ...pagingWith((text) => /^[0-9]{0,7}$/u.test(text)),
    },
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(jobsResponse, 'A page of jobs.'),
    errors: ['JOB_NOT_FOUND'],
  }),
  defineOperation('getJob', 'GET', '/admin/jobs/{queue}/{id}', {
    ...job,
    summary: 'Get one job',
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(jobResponse, 'The job.'),
    errors: ['JOB_NOT_FOUND'],
  }),
  defineOperation('retryDeadJobs', 'POST', '/admin/jobs/{queue}/retry', {
    ...common,
    summary: 'Retry the dead jobs of a kind, at most 1,000 per request',
    pathParameters: { queue },
    headers: ['Idempotency-Key'],
    responses: {
      202: jsonResponse(
        jobActionResponse,
        'The current number of dead jobs, which will be retried when the queue is available.',
        POSITION_HEADERS,
      ),
    },
    errors: ['JOB_NOT_FOUND'],
  }),
  defineOperation('retryJob', 'POST', '/admin/jobs/{queue}/{id}/retry', {
    ...job,
    summary: 'Retry a job now: a dead job with all its attempts, a delayed job without its delay',
    headers: ['Idempotency-Key'],
    responses: {
      202: jsonResponse(jobActionResponse, 'The job will be retried when the queue is available.', POSITION_HEADERS),
    },
    errors: ['JOB_NOT_FOUND', 'JOB_UNDER_WAY'],
  }),
  defineOperation('removeJob', 'DELETE', '/admin/jobs/{queue}/{id}', {
    ...job,
    summary: 'Remove a job without executing it',
    headers: ['Idempotency-Key'],
    responses: {
      202: jsonResponse(jobActionResponse, 'The job will be removed when the queue is available.', POSITION_HEADERS),
    },
    errors: ['JOB_NOT_FOUND', 'JOB_UNDER_WAY'],
  }),
];
