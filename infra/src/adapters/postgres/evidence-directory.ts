import { APPEAL_WINDOW_ms, isAppealableOutcome, OUTCOMES } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { MODERATION_CASES } from '../../read-models/index.ts';

/**
 * Checks in the read model of moderation cases whether uploads are still needed as evidence. Cleanup tasks use this
 * check before they remove uploads.
 */
export type EvidenceDirectory = ReturnType<typeof createEvidenceDirectory>;

export function createEvidenceDirectory(pool: Pool) {
  return {
    /**
     * Returns true if a moderation case about content of this account is open, if an appeal is not decided yet, or if a
     * decision that can be appealed is less than 30 days old. In this time, the uploads of the account are evidence,
     * because they may be part of the reported content.
     */
    async isNeeded(accountId: string, now: Date): Promise<boolean> {
      const { rows } = await pool.query<{ is_needed: boolean }>({
        name: 'evidence-needed',
        text: `select exists (
                 select from ${MODERATION_CASES.table} c
                  where c.owner_id = $1
                    and (c.is_open or c.appealed_at is not null
                         or ((c.decision ->> 'at')::timestamptz > $2 and c.decision ->> 'outcome' = any($3)))
               ) as is_needed`,
        values: [
          accountId,
          new Date(now.getTime() - APPEAL_WINDOW_ms).toISOString(),
          OUTCOMES.filter(isAppealableOutcome),
        ],
      });
      return rows[0]?.is_needed ?? false;
    },
  };
}
