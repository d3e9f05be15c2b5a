import * as z from 'zod/mini';
import { JOB_STATES } from '../../admin-fields.ts';
import { json, operation, POSITION, readable, type Operation, type Parameter } from '../operation.ts';
import { jobAnswer, jobsAnswer, jobsWrittenAnswer, queuesAnswer } from '../schemas/jobs.ts';
import { overviewAnswer } from '../schemas/overview.ts';
import { paging } from './parameters.ts';

const of = { tag: 'Admin', access: 'admin' } as const;
const text = (max: number) => z.string().check(z.maxLength(max));
const queue: Parameter = { schema: text(40), words: 'A kind of job.', example: 'photo-variants' };
const id: Parameter = {
  schema: text(300),
  words: 'Id of a job, URL-encoded.',
  example: 'job-0f6c9a3e-5b1d-4c53-9d51-0a6b7f1f3c11',
};
const job = { path: '/admin/jobs/{queue}/{id}', pathParameters: { queue, id } } as const;

/** What the panel shows beside the calls of the specification: the state of the place, and the work of the workers. */
export const panelOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'GET',
    path: '/admin/overview',
    id: 'getOverview',
    summary: 'See the state of the place: people, ads, reports, queues, read models, live clients, the last 30 days',
    headers: ['If-None-Match'],
    answers: readable(overviewAnswer, 'The state, counted a few seconds ago at most.'),
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/jobs',
    id: 'listQueues',
    summary: 'See how many jobs of each kind are in which state',
    headers: ['If-None-Match'],
    answers: readable(queuesAnswer, 'All queues.'),
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/admin/jobs/{queue}',
    id: 'listJobs',
    summary: 'List the jobs of a kind that are in one state',
    pathParameters: { queue },
    query: {
      state: { schema: z.enum(JOB_STATES), words: 'Which state; `dead` where nothing is said.', example: 'dead' },
      ...paging,
    },
    headers: ['If-None-Match'],
    answers: readable(jobsAnswer, 'A page of jobs.'),
    errors: ['JOB_NOT_FOUND'],
  }),
  operation({
    ...of,
    ...job,
    method: 'GET',
    id: 'getJob',
    summary: 'See one job',
    headers: ['If-None-Match'],
    answers: readable(jobAnswer, 'The job.'),
    errors: ['JOB_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/jobs/{queue}/retry',
    id: 'retryDeadJobs',
    summary: 'Try every dead job of a kind again, at most 1,000 a call',
    pathParameters: { queue },
    headers: ['Idempotency-Key'],
    answers: {
      202: json(
        jobsWrittenAnswer,
        'They will be tried as soon as the queue can be reached; how many there are now.',
        POSITION,
      ),
    },
    errors: ['JOB_NOT_FOUND'],
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/admin/jobs/{queue}/{id}/retry',
    id: 'retryJob',
    summary: 'Try a job again now: a dead one from the start, one that waits for its time at once',
    pathParameters: job.pathParameters,
    headers: ['Idempotency-Key'],
    answers: { 202: json(jobsWrittenAnswer, 'It will be tried as soon as the queue can be reached.', POSITION) },
    errors: ['JOB_NOT_FOUND', 'JOB_UNDER_WAY'],
  }),
  operation({
    ...of,
    ...job,
    method: 'DELETE',
    id: 'removeJob',
    summary: 'Remove a job: what it would have done is not done',
    headers: ['Idempotency-Key'],
    answers: { 202: json(jobsWrittenAnswer, 'It will be removed as soon as the queue can be reached.', POSITION) },
    errors: ['JOB_NOT_FOUND', 'JOB_UNDER_WAY'],
  }),
];
