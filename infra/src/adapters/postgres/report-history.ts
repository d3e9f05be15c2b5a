import {
  HIDING_REASONS,
  isHidingOutcome,
  OUTCOMES,
  REPORT_HISTORY_days,
  type RegisteredAccount,
  type ReportHistory,
} from '@alpenglow/domain';
import { DECISIONS, MODERATION_CASES, REPORTS } from '../../read-models/index.ts';
import type { Pool } from './pool.ts';

/** The maximum number of earlier reports and cases that are counted. */
const MAX_COUNTED = 100;
/**
 * The SQL condition for a case whose reports were unfounded. The decision left the content online, or an appeal has
 * reversed it. `d` is the decision of the case `c`.
 */
const IS_UNFOUNDED = `(c.decision->>'outcome' = 'kept' or coalesce(d.appeal_outcome = 'overturned', false))`;

/** Stores sources of reports, and reads how moderators have decided earlier reports. */
export type ReportHistoryStore = ReturnType<typeof createReportHistoryStore>;

/** The origin of a report. */
export interface Reporter {
  /** The id of the account. Null for a person without an account. */
  readonly accountId: string | null;
  /** A keyed hash of the network. Null for a verified account, whose own reports count in every network. */
  readonly source: string | null;
}

export function createReportHistoryStore(pool: Pool) {
  return {
    /** Stores the source of a report for 90 days. Repeated calls have no effect. */
    async storeSource(reportId: string, source: string): Promise<void> {
      await pool.query({
        name: 'report-source-store',
        text: `insert into requests.report_sources (report_id, source, expires_at)
               values ($1, $2, now() + make_interval(days => $3)) on conflict do nothing`,
        values: [reportId, source, REPORT_HISTORY_days],
      });
    },
    /**
     * Returns true if an account has reported the content of a moderation case within 90 days. The read model may lack
     * the newest reports.
     */
    async hasReported(accountId: string, caseId: string): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'report-history-of-case',
        text: `select from ${REPORTS.table}
                where reporter_id = $1 and case_id = $2 and filed_at > now() - make_interval(days => $3) limit 1`,
        values: [accountId, caseId, REPORT_HISTORY_days],
      });
      return rowCount !== 0;
    },
    /**
     * Returns true if a moderator restricted content of an account within 90 days. Decisions that an appeal has
     * reversed do not count, nor those about an earlier account with the same id. The read model may lack the newest
     * decisions.
     */
    async isRestricted({
      accountId,
      registeredAt,
    }: Pick<RegisteredAccount, 'accountId' | 'registeredAt'>): Promise<boolean> {
      const { rowCount } = await pool.query({
        name: 'report-history-restricted',
        text: `select from ${MODERATION_CASES.table} c join ${DECISIONS.table} d on d.decision_id = c.decision->>'id'
                where c.owner_id = $1 and d.outcome = any($3) and not d.is_automated
                  and d.appeal_outcome is distinct from 'overturned' and d.decided_at >= $4
                  and d.decided_at > now() - make_interval(days => $2) limit 1`,
        values: [accountId, REPORT_HISTORY_days, OUTCOMES.filter(isHidingOutcome), registeredAt],
      });
      return rowCount !== 0;
    },
    /**
     * Returns the history of a reporter, and of the owner of the reported content. `ownerId` is null for content of the
     * operator. The read models may lack the newest decisions.
     */
    async find({ accountId, source }: Reporter, ownerId: string | null): Promise<ReportHistory> {
      const { rows } = await pool.query<ReportHistory>({
        name: 'report-history',
        text: `with own_reports as (
                 select report_id from ${REPORTS.table} where reporter_id = $1
                 union
                 (select report_id from requests.report_sources where source = $6 and expires_at > now()
                   order by expires_at desc limit $5)
               ), own as (
                 select ${IS_UNFOUNDED} as is_kept
                   from own_reports join ${REPORTS.table} r using (report_id)
                   join ${MODERATION_CASES.table} c using (case_id)
                   left join ${DECISIONS.table} d on d.decision_id = c.decision->>'id'
                  where r.reason = any($3) and not c.is_open and c.decided_at > r.filed_at
                    and r.filed_at > now() - make_interval(days => $4)
                  limit $5
               ), of_owner as (
                 select 1 from ${MODERATION_CASES.table} c
                   left join ${DECISIONS.table} d on d.decision_id = c.decision->>'id'
                  where c.owner_id = $2 and not c.is_open and c.is_urgent and ${IS_UNFOUNDED}
                    and c.decided_at > now() - make_interval(days => $4)
                  limit $5
               )
               select (select count(*) from own where not is_kept)::int as confirmed,
                      (select count(*) from own where is_kept)::int as unfounded,
                      (select count(*) from of_owner)::int as "unfoundedOfOwner"`,
        values: [accountId, ownerId, HIDING_REASONS, REPORT_HISTORY_days, MAX_COUNTED, source],
      });
      return rows[0] ?? { confirmed: 0, unfounded: 0, unfoundedOfOwner: 0 };
    },
    /** Removes sources that no longer count. */
    async sweep(): Promise<void> {
      await pool.query('delete from requests.report_sources where expires_at <= now()');
    },
  };
}
