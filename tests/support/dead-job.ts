import type { InspectedJob } from '@alpenglow/domain';

/** A job that has failed in all its attempts. */
export const DEAD_JOB: InspectedJob = {
  id: 'job-1',
  kind: 'video-probe',
  state: 'dead',
  attempts: 5,
  maxAttempts: 5,
  enqueuedAt: '',
  nextAt: null,
  startedAt: null,
  endedAt: null,
  error: null,
  payload: [],
  stack: [],
};
