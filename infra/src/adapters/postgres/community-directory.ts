import type { Pool } from 'pg';
import { sqlStateOf } from './errors.ts';

/** What the command side may ask the read models of the community: they may lag a moment behind the events. */
export interface CommunityDirectory {
  /** Whether words with this fingerprint were posted since then, by anybody, in a post that is not deleted; a hidden one counts, as it is no better elsewhere, and `exceptPostId` does not. */
  isPosted(fingerprint: string, since: Date, exceptPostId?: string): Promise<boolean>;
}

const UNDEFINED_TABLE = '42P01';

export function createCommunityDirectory({ pool }: { readonly pool: Pool }): CommunityDirectory {
  return {
    async isPosted(fingerprint, since, exceptPostId) {
      try {
        const { rows } = await pool.query({
          name: 'post-by-fingerprint',
          text: `select from rm.community_posts where fingerprint = $1 and posted_at >= $2 and post_id is distinct from $3 limit 1`,
          values: [fingerprint, since.toISOString(), exceptPostId ?? null],
        });
        return rows.length > 0;
      } catch (error) {
        // Before the projectors have made it, there is nothing in it.
        if (sqlStateOf(error) === UNDEFINED_TABLE) return false;
        throw error;
      }
    },
  };
}
