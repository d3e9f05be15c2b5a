import type { JobKind } from '@alpenglow/domain';
import { Queue, type QueueOptions } from 'bullmq';
import type { JobBackend } from './job-backend.ts';

/** All kinds of jobs. Each kind has its own BullMQ queue, so that slow jobs of one kind never delay another kind. */
export const JOB_KINDS: readonly JobKind[] = [
  'photo-variants',
  'video-probe',
  'account-mail',
  'take-report-in',
  'settle-case',
  'removal',
  'thread-replies',
  'reply-mail',
  'reply-mails',
  'digest-mail',
];

/** Calls `read` for each kind of job, and returns the results by kind. */
export async function readByKind<T>(read: (kind: JobKind) => Promise<T>): Promise<Readonly<Record<JobKind, T>>> {
  const entries = await Promise.all(JOB_KINDS.map(async (kind) => [kind, await read(kind)] as const));
  return Object.fromEntries(entries) as Record<JobKind, T>;
}

/** Opens the queue of one kind of job. */
export function openQueue(kind: JobKind, { factory }: JobBackend, options: Partial<QueueOptions> = {}) {
  const queue = new Queue(kind, { connection: {}, ...options }, factory);
  // This listener prevents BullMQ from printing the error. Nothing is lost, because every failed call rejects, and the
  // backend logs connection errors.
  queue.on('error', () => undefined);
  return queue;
}

/** Opens one queue per kind of job. */
export function openQueues(backend: JobBackend, options?: Partial<QueueOptions>) {
  return Object.fromEntries(JOB_KINDS.map((kind) => [kind, openQueue(kind, backend, options)])) as Record<
    JobKind,
    ReturnType<typeof openQueue>
  >;
}

const ID_PREFIX = 'job-';

/** Returns an id that BullMQ accepts. BullMQ rejects ids that are whole numbers or contain a colon. */
export function bullJobId(jobId: string): string {
  return `${ID_PREFIX}${encodeURIComponent(jobId)}`;
}

/** Returns the id with which a job was enqueued. Reverses `bullJobId`. */
export function toJobId(bullId: string): string {
  return bullId.startsWith(ID_PREFIX) ? decodeURIComponent(bullId.slice(ID_PREFIX.length)) : bullId;
}
