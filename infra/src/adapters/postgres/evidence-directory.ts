import { APPEAL_WINDOW_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** What those who clear away may ask of cases. */
export interface EvidenceDirectory {
  /**
   * Whether something of this account is in a case that waits for a moderator, or in one whose decision it may still appeal against: what it has
   * uploaded is part of the version judged.
   */
  isNeeded(accountId: string, now: Date): Promise<boolean>;
}

export function createEvidenceDirectory(pool: Pool): EvidenceDirectory {
  return {
    async isNeeded(accountId, now) {
      const { rows } = await pool.query<{ is_needed: boolean }>({
        name: 'evidence-needed',
        text: `select exists (select from rm.moderation_cases c where c.owner_id = $1 and (c.is_open or c.appealed_at is not null
                 or (c.is_holding and c.decided_at > $2))) as is_needed`,
        values: [accountId, new Date(now.getTime() - APPEAL_WINDOW_ms).toISOString()],
      });
      return rows[0]?.is_needed ?? false;
    },
  };
}
