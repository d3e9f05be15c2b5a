import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';

/** One read of people's personal data by a member of staff. */
export interface StaffRead {
  readonly staffId: string;
  /** Which call, e.g. `listUsers`: the operation's id in the API document. */
  readonly what: string;
  /** The account whose data it was, or the thing where there is none; null where several people were in a list. */
  readonly subjectId: string | null;
  /** How many people's data were in the answer. */
  readonly people: number;
  readonly requestId: string;
}

export interface KeptStaffRead extends StaffRead {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface StaffReadsQuery {
  readonly staffId: string | null;
  /** With an account, reads noted under the id of one of its ads are meant as well. */
  readonly subjectId: string | null;
  /** The id of the last read of the page before. */
  readonly before: string | null;
  readonly limit: number;
}

/** The log of what staff read of people's personal data (design, trust and privacy), apart from the events. */
export interface StaffReads {
  /** Keeps a read. To be awaited before the answer leaves: what cannot be logged is not shown. */
  note(read: StaffRead): Promise<void>;
  /** From the newest to the oldest. */
  list(query: StaffReadsQuery): Promise<readonly KeptStaffRead[]>;
  /** Forgets what is older than a year. */
  sweep(): Promise<void>;
}

/** Whose data a list showed, as it is noted: the only one by their account, so that their export tells of it; several by their number. Null stands for somebody whose account is not known. */
export function shownOf(accountIds: Iterable<string | null>): Pick<StaffRead, 'subjectId' | 'people'> {
  const people = [...new Set(accountIds)];
  return { subjectId: people.length === 1 ? (people[0] ?? null) : null, people: people.length };
}

/** In `audit.staff_reads`. */
export function createStaffReads(pool: Pool): StaffReads {
  return {
    async note({ staffId, what, subjectId, people, requestId }) {
      if (people === 0) return;
      await pool.query({
        name: 'staff-reads-note',
        text: 'insert into audit.staff_reads (id, staff_id, what, subject_id, people, request_id) values ($1, $2, $3, $4, $5, $6)',
        values: [uuidv7(), staffId, what, subjectId, people, requestId],
      });
    },
    async list({ staffId, subjectId, before, limit }) {
      const { rows } = await pool.query<Omit<KeptStaffRead, 'at'> & { readonly at: Date }>(
        `select id, at, staff_id as "staffId", what, subject_id as "subjectId", people, request_id as "requestId" from audit.staff_reads
         where ($1::text is null or staff_id = $1) and ($2::text is null or subject_id = $2 or subject_id = any(array(select ad_id from rm.ad_owners where account_id = $2))) and ($3::text is null or id < $3)
         order by id desc limit $4`,
        [staffId, subjectId, before, limit],
      );
      return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
    },
    async sweep() {
      await pool.query(`delete from audit.staff_reads where at < now() - interval '1 year'`);
    },
  };
}
