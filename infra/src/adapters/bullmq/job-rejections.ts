import { JobRejected, type JobKind } from '@alpenglow/domain';
import { sqlStateOf } from '../postgres/errors.ts';
import { JOB_KINDS } from './queues.ts';
import { requireOtherJob } from './running-job.ts';

/** The maximum size of a payload as JSON. A payload contains ids only, so a larger one is an error in the program. */
const MAX_PAYLOAD_bytes = 64 * 1_024;
const MAX_ID_chars = 500;

/**
 * Matches SQLSTATE codes of errors that the written value causes: invalid data, a violated constraint, and a value
 * above a limit of Postgres.
 */
const VALUE_ERRORS = /^(?:22|23|54)/u;
/** Matches replies of Redis about a value that is too large, and errors of BullMQ about the id or size of a job. */
const REJECTIONS = /invalid (?:multi)?bulk length|maximum allowed size|exceeds the limit|Custom Id cannot/u;

/**
 * Throws `JobRejected` if the kind, the id or the payload of a job is not valid, and `JobEnqueuedItself` if the caller
 * is this job.
 */
export function requireValidJob(kind: JobKind, payload: unknown, jobId: string): void {
  if (!(JOB_KINDS as readonly string[]).includes(kind)) throw new JobRejected('The kind of the job is unknown');
  if (jobId === '' || jobId.length > MAX_ID_chars) throw new JobRejected('The id of the job is empty or too long');
  const size = Buffer.byteLength(JSON.stringify(payload) ?? '');
  if (size > MAX_PAYLOAD_bytes)
    throw new JobRejected(`The payload of the job has ${size} bytes, but at most ${MAX_PAYLOAD_bytes} are allowed`);
  requireOtherJob(kind, jobId);
}

/** Returns true if the backend has rejected one job and accepts others. */
export function isJobRejection(error: unknown): boolean {
  const sqlState = sqlStateOf(error);
  if (sqlState !== null) return VALUE_ERRORS.test(sqlState);
  return error instanceof URIError || (error instanceof Error && REJECTIONS.test(error.message));
}
