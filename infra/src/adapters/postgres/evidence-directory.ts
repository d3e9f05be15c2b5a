import { APPEAL_WINDOW_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** Checks whether uploads are still needed as evidence, in the read model of moderation cases. Cleanup tasks use it. */
export type EvidenceDirectory = ReturnType<typeof createEvidenceDirectory>;

export function createEvidenceDirectory(pool: Pool) {
  return {
    /**
     * Returns true if a case about content of this account is open, or if its decision can still be appealed. The
     * account's uploads are then evidence, because they belong to the content that the case is about.
     */
    async isNeeded(accountId: string, now: Date): Promise<boolean> {
      const { rows } = await pool.query<{ is_needed: boolean }>({
        name: 'evidence-needed',
        text: `select exists (
                 select from rm.moderation_cases c
                  where c.owner_id = $1
                    and (c.is_open or c.appealed_at is not null or (c.is_holding and c.decided_at > $2))) as is_needed`,
        values: [accountId, new Date(now.getTime() - APPEAL_WINDOW_ms).toISOString()],
      });
      return rows[0]?.is_needed ?? false;
    },
  };
}
