import { createHash } from 'node:crypto';
import type { StaffReadOperation } from '@alpenglow/domain/api';
import type { Pool } from 'pg';
import { ACCOUNTS, AD_OWNERS } from '../../read-models/index.ts';
import { v7 as uuidv7 } from 'uuid';

/** A log entry about a member of staff who has read personal data of other people. */
export interface StaffRead {
  readonly staffId: string;
  /** The id of the operation in the API document, e.g. `listUsers`. */
  readonly what: StaffReadOperation;
  /**
   * The id of the account whose data was read. If the account is unknown, this is the id of the object that was read,
   * e.g. of an ad. Null for a list of several people.
   */
  readonly subjectId: string | null;
  /** The number of people whose data was in the response. */
  readonly people: number;
  /** The id of the photo or video that was viewed. Null for other data. */
  readonly mediaId: string | null;
  /** The id of the request, which is the first one of repeated reads. */
  readonly requestId: string;
  /** A hash that is equal if the same data of the same people is read again. */
  readonly dataHash?: string | null;
  /**
   * True if an open page may repeat the request by itself, e.g. when its window gets the focus. The read is then added
   * to an entry about the same data of the same people that is younger than `REPEATED_WITHIN_ms`.
   */
  readonly isRepeatedByPage?: boolean;
}

interface RecordedStaffRead extends Pick<StaffRead, 'staffId' | 'subjectId' | 'people' | 'mediaId' | 'requestId'> {
  readonly id: string;
  /** Older entries may name an operation that does not exist any more. */
  readonly what: string;
  /** The time of the first access in ISO 8601 format, in UTC. */
  readonly at: string;
  /** The time of the last access. */
  readonly lastAt: string;
  /** The number of accesses. */
  readonly reads: number;
}

interface StaffReadsQuery {
  readonly staffId: string | null;
  /** Selects log entries about data of this account, including entries with the ids of its ads. */
  readonly subjectId: string | null;
  /** The id of the last entry of the previous page. Null for the first page. */
  readonly before: string | null;
  readonly limit: number;
}

/** The log of the personal data that staff have read (T-18). It is stored in a table, and not as events. */
export type StaffReads = ReturnType<typeof createStaffReads>;

/** An entry contains the repeated reads of an hour, so that the log shows for how long a page was open. */
const REPEATED_WITHIN_ms = 60 * 60_000;

/**
 * Returns the log fields for a response with a list of people. A single person is logged by account id, so that the
 * data export of this account contains the log entry. For several people, only their number is logged. Null in
 * `accountIds` is a person whose account is unknown.
 */
export function summarizeSubjects(
  accountIds: Iterable<string | null>,
): Pick<StaffRead, 'subjectId' | 'people'> & { readonly peopleHash: string | null } {
  const people = [...new Set(accountIds)];
  const subjectId = people.length === 1 ? (people[0] ?? null) : null;
  return { subjectId, people: people.length, peopleHash: subjectId === null ? hashPeople(people) : null };
}

/** Returns a hash that is equal for the same people, or the same objects, in any order. */
export const hashPeople = (accountIds: readonly (string | null)[]): string =>
  createHash('sha256')
    .update(
      accountIds
        .map((id) => id ?? '')
        .toSorted()
        .join(' '),
    )
    .digest('base64url');

/** Creates the log of the personal data that staff have read. It is stored in the table `audit.staff_reads`. */
export function createStaffReads(pool: Pool) {
  return {
    /**
     * Adds a log entry. The caller must wait for this before it sends the response, so that no data is returned without
     * a log entry. A read that an open page repeats changes the existing entry. An entry that began before a new
     * sign-up of the person does not change, because it concerns a closed account with the same id.
     */
    async record({
      staffId,
      what,
      subjectId,
      people,
      mediaId,
      requestId,
      dataHash = null,
      isRepeatedByPage = false,
    }: StaffRead): Promise<void> {
      if (people === 0) return;
      // Ids are in the order of time, so the search for an earlier entry reads only those of the last hour.
      const oldestId = isRepeatedByPage ? uuidv7({ msecs: Date.now() - REPEATED_WITHIN_ms }) : null;
      await pool.query({
        name: 'staff-reads-note',
        text: `with earlier as (
                 select id from audit.staff_reads
                  where staff_id = $2 and id > $9 and what = $3 and people = $5
                    and subject_id is not distinct from $4 and media_id is not distinct from $6
                    and people_hash is not distinct from $8
                    and not exists (
                      select from ${ACCOUNTS.table} where account_id = $4 and registered_at > staff_reads.at)
                  order by id desc limit 1
               ), repeated as (
                 update audit.staff_reads r set last_at = now(), reads = coalesce(r.reads, 1) + 1
                   from earlier where r.id = earlier.id returning r.id
               )
               insert into audit.staff_reads (id, staff_id, what, subject_id, people, media_id, request_id, people_hash)
               select $1, $2, $3, $4, $5, $6, $7, $8 where not exists (select from repeated)`,
        values: [
          uuidv7(),
          staffId,
          what,
          subjectId,
          people,
          mediaId,
          requestId,
          isRepeatedByPage ? dataHash : null,
          oldestId,
        ],
      });
    },
    /** Returns log entries that match the query, newest first. */
    async list({ staffId, subjectId, before, limit }: StaffReadsQuery): Promise<readonly RecordedStaffRead[]> {
      const { rows } = await pool.query<
        Omit<RecordedStaffRead, 'at' | 'lastAt'> & { readonly at: Date; readonly lastAt: Date }
      >(
        `select id, at, coalesce(last_at, at) as "lastAt", coalesce(reads, 1) as reads, staff_id as "staffId", what,
                subject_id as "subjectId", people, media_id as "mediaId",
                request_id as "requestId"
           from audit.staff_reads
          where ($1::text is null or staff_id = $1)
            and ($2::text is null or subject_id = $2
                 or subject_id = any(array(select ad_id from ${AD_OWNERS.table} where account_id = $2)))
            and ($3::text is null or id < $3)
          order by id desc limit $4`,
        [staffId, subjectId, before, limit],
      );
      return rows.map((row) => ({ ...row, at: row.at.toISOString(), lastAt: row.lastAt.toISOString() }));
    },
    /** Removes log entries that are older than a year. */
    async sweep(): Promise<void> {
      await pool.query(`delete from audit.staff_reads where at < now() - interval '1 year'`);
    },
  };
}
