import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** A log entry about a member of staff who has read personal data of other people. */
export interface StaffRead {
  readonly staffId: string;
  /** The id of the operation in the API document, e.g. `listUsers`. */
  readonly what: string;
  /**
   * The id of the account whose data was read. If the account is unknown, this is the id of the object that was read,
   * e.g. of an ad. Null for a list of several people.
   */
  readonly subjectId: string | null;
  /** The number of people whose data was in the response. */
  readonly people: number;
  /** The id of the photo or video that was viewed. Null for other data. */
  readonly mediaId: string | null;
  readonly requestId: string;
}

interface RecordedStaffRead extends StaffRead {
  readonly id: string;
  /** The time of the access in ISO 8601 format, in UTC. */
  readonly at: string;
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

/**
 * Returns the log fields for a response with a list of people. A single person is logged by account id, so that the
 * data export of this account contains the log entry. For several people, only their number is logged. Null in
 * `accountIds` is a person whose account is unknown.
 */
export function summarizeSubjects(accountIds: Iterable<string | null>): Pick<StaffRead, 'subjectId' | 'people'> {
  const people = [...new Set(accountIds)];
  return { subjectId: people.length === 1 ? (people[0] ?? null) : null, people: people.length };
}

/** Creates the log of the personal data that staff have read. It is stored in the table `audit.staff_reads`. */
export function createStaffReads(pool: Pool) {
  return {
    /**
     * Adds a log entry. The caller must wait for this before it sends the response, so that no data is returned without
     * a log entry.
     */
    async record({ staffId, what, subjectId, people, mediaId, requestId }: StaffRead): Promise<void> {
      if (people === 0) return;
      await pool.query({
        name: 'staff-reads-note',
        text: `insert into audit.staff_reads (id, staff_id, what, subject_id, people, media_id, request_id)
               values ($1, $2, $3, $4, $5, $6, $7)`,
        values: [uuidv7(), staffId, what, subjectId, people, mediaId, requestId],
      });
    },
    /** Returns log entries that match the query, newest first. */
    async list({ staffId, subjectId, before, limit }: StaffReadsQuery): Promise<readonly RecordedStaffRead[]> {
      const { rows } = await pool.query<Omit<RecordedStaffRead, 'at'> & { readonly at: Date }>(
        `select id, at, staff_id as "staffId", what, subject_id as "subjectId", people, media_id as "mediaId",
                request_id as "requestId"
           from audit.staff_reads
          where ($1::text is null or staff_id = $1)
            and ($2::text is null or subject_id = $2
                 or subject_id = any(array(select ad_id from rm.ad_owners where account_id = $2)))
            and ($3::text is null or id < $3)
          order by id desc limit $4`,
        [staffId, subjectId, before, limit],
      );
      return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
    },
    /** Removes log entries that are older than a year. */
    async sweep(): Promise<void> {
      await pool.query(`delete from audit.staff_reads where at < now() - interval '1 year'`);
    },
  };
}
