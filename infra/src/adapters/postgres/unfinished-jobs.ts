import type { JobKind, JobPayloads, NewJob } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { JOB_KINDS } from '../bullmq/queues.ts';
import { LIMIT_SILENCE_IN_TRANSACTION } from './lock-session.ts';
import { whileWaiting } from './while-waiting.ts';

/** A background job that was enqueued and has not finished, according to Postgres. */
export interface UnfinishedJob<K extends JobKind = JobKind> {
  readonly kind: K;
  readonly jobId: string;
  readonly payload: JobPayloads[K];
  /** The time when the job was first enqueued. */
  readonly enqueuedAt: Date;
  /**
   * The number of unfinished jobs of the same kind and of the same account or network when the job was first enqueued.
   * 0 for a job of no account.
   */
  readonly turn: number;
}

/** A job in the table `jobs.unfinished`. */
export interface StoredJob extends Pick<UnfinishedJob, 'enqueuedAt' | 'turn'> {
  readonly isNew: boolean;
}

/**
 * The time after which a job that has not finished is enqueued again. Jobs normally finish earlier. Each further wait
 * is as long as the age of the job, up to an hour, so that a long queue causes little additional work.
 */
const FIRST_WAIT = '2 minutes';
const LONGEST_WAIT = '1 hour';
/**
 * SQL for the accounts that have a session from the same network as the account of a job. Their jobs count together
 * for `turn`, because one person can sign up with many addresses.
 */
const NEIGHBORS = `select neighbor.account_id
  from auth.sessions own join auth.sessions neighbor using (network_hash)
 where own.account_id = job.account_id and own.network_hash <> ''`;
/** Maximum age of the jobs that count for a turn. An older job has failed permanently. */
const COUNTED_FOR = '1 hour';

/**
 * Stores which background jobs have not finished, in the table `jobs.unfinished`. The queue may lose a job, for example
 * with the last second of Redis. The table may not.
 */
export type UnfinishedJobs = ReturnType<typeof createUnfinishedJobs>;

export function createUnfinishedJobs(pool: Pool) {
  async function addAll<K extends JobKind>(
    kind: K,
    jobs: readonly NewJob<K>[],
  ): Promise<ReadonlyMap<string, StoredJob>> {
    const byId = new Map(jobs.map((job) => [job.jobId, job]));
    // Transactions that store the same jobs wait for each other. The order prevents a deadlock.
    const ordered = [...byId.values()].toSorted((a, b) => (a.jobId < b.jobId ? -1 : 1));
    const { rows } = await pool.query<StoredJob & { readonly jobId: string }>({
      name: 'unfinished-jobs-add',
      // The update changes nothing. It is needed because Postgres otherwise returns no row for an existing job.
      text: `insert into jobs.unfinished as known (kind, job_id, payload, check_at, account_id, turn)
               select $1, job_id, payload::jsonb, now() + delay_ms * interval '1 ms' + interval '${FIRST_WAIT}',
                      account_id,
                      case when account_id is null then 0 else
                        (select count(*) from jobs.unfinished other
                          where other.kind = $1 and other.enqueued_at > now() - interval '${COUNTED_FOR}'
                            and (other.account_id = job.account_id or other.account_id in (${NEIGHBORS})))
                        + row_number() over (partition by account_id order by n) - 1 end
                 from unnest($2::text[], $3::text[], $4::float8[], $5::text[])
                      with ordinality as job (job_id, payload, delay_ms, account_id, n)
                order by n
               on conflict (kind, job_id) do update set job_id = known.job_id
               returning job_id as "jobId", enqueued_at as "enqueuedAt", turn, xmax = 0 as "isNew"`,
      values: [
        kind,
        ordered.map(({ jobId }) => jobId),
        ordered.map(({ payload }) => JSON.stringify(payload)),
        ordered.map(({ delay_ms = 0 }) => delay_ms),
        ordered.map(({ accountId = null }) => accountId),
      ],
    });
    return new Map(rows.map(({ jobId, ...stored }) => [jobId, stored]));
  }

  return {
    /**
     * Stores jobs with one statement, except those that are already stored. Call this before the jobs are enqueued.
     * Returns for each job id the time when the job was first stored, its turn, and whether this call has stored it.
     * `delay_ms` is the time before which the job does not start.
     */
    addAll,
    /** Stores one job like `addAll`. */
    async add<K extends JobKind>(
      kind: K,
      payload: JobPayloads[K],
      options: Omit<NewJob<K>, 'payload'>,
    ): Promise<StoredJob> {
      const stored = (await addAll(kind, [{ payload, ...options }])).get(options.jobId);
      if (!stored) throw new Error(`The job ${options.jobId} was not stored`);
      return stored;
    },
    /** Removes a job that has finished, or that an admin has removed. */
    async remove(kind: JobKind, jobId: string): Promise<void> {
      await pool.query({
        name: 'unfinished-jobs-remove',
        text: 'delete from jobs.unfinished where kind = $1 and job_id = $2',
        values: [kind, jobId],
      });
    },
    /**
     * Calls `enqueue` for jobs that should have finished, at most `limit` of them, and returns their number. Removes
     * the jobs for which `enqueue` resolves to true, because they have finished. The rows stay locked meanwhile. Two
     * processes therefore never enqueue the same job, and an erasure that removes a row waits. If this process hangs,
     * Postgres ends the locks within seconds. If `enqueue` rejects, the jobs are found again by the next call. Skips
     * jobs of kinds that this build does not know.
     */
    async resume(enqueue: (job: UnfinishedJob) => Promise<boolean>, limit: number): Promise<number> {
      const client = await pool.connect();
      let isBroken = true;
      try {
        await client.query(`begin; ${LIMIT_SILENCE_IN_TRANSACTION}`);
        const { rows } = await client.query<UnfinishedJob>(
          `select kind, job_id as "jobId", payload, enqueued_at as "enqueuedAt", turn
             from jobs.unfinished
            where check_at <= now() and kind = any($1)
            order by check_at limit $2 for update skip locked`,
          [JOB_KINDS, limit],
        );
        const enqueueAll = async () => {
          const ended: UnfinishedJob[] = [];
          for (const job of rows) if (await enqueue(job)) ended.push(job);
          return ended;
        };
        const finished = await whileWaiting(client, enqueueAll());
        const keys = (jobs: readonly UnfinishedJob[]) => [jobs.map(({ kind }) => kind), jobs.map(({ jobId }) => jobId)];
        await client.query(
          'delete from jobs.unfinished where (kind, job_id) in (select * from unnest($1::text[], $2::text[]))',
          keys(finished),
        );
        await client.query(
          `update jobs.unfinished
              set check_at = now() + least(interval '${LONGEST_WAIT}',
                                           greatest(interval '${FIRST_WAIT}', now() - enqueued_at))
            where (kind, job_id) in (select * from unnest($1::text[], $2::text[]))`,
          keys(rows),
        );
        await client.query('commit');
        isBroken = false;
        return rows.length;
      } finally {
        // Closing the connection rolls the transaction back.
        client.release(isBroken);
      }
    },
    /**
     * Removes the jobs whose payload contains one of these ids, and that were first stored before the time of the id.
     * Removes the account id from the remaining jobs. Reads all unfinished jobs once.
     */
    async removeMentioning(ids: readonly MentionedId[]): Promise<void> {
      await pool.query(
        `update jobs.unfinished j set account_id = null
           from ${MENTIONED} where j.account_id = i.id and j.enqueued_at < i.before`,
        mentionValues(ids),
      );
      await pool.query(`delete from jobs.unfinished j where ${MENTIONS}`, mentionValues(ids));
    },
    /** Returns those of these ids that the payload of a job contains, if it was stored before the time of the id. */
    async findMentioned(ids: readonly MentionedId[]): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<{ id: string }>(
        `select distinct i.id from ${MENTIONED} where exists (
           select from jobs.unfinished j
            where j.enqueued_at < i.before and (j.account_id = i.id or strpos(j.payload::text, i.id) > 0))`,
        mentionValues(ids),
      );
      return new Set(rows.map(({ id }) => id));
    },
  };
}

/** An id of an erased account, and the time before which jobs with this id belong to the account. */
export interface MentionedId {
  readonly id: string;
  readonly before: Date;
}

const MENTIONED = 'unnest($1::text[], $2::timestamptz[]) as i (id, before)';
const MENTIONS = `exists (
  select from ${MENTIONED} where j.enqueued_at < i.before and strpos(j.payload::text, i.id) > 0)`;
const mentionValues = (ids: readonly MentionedId[]) => [ids.map(({ id }) => id), ids.map(({ before }) => before)];
