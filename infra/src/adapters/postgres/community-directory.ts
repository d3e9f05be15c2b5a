import type { PostId } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { COMMUNITY_POSTS } from '../../read-models/index.ts';
import { isMissingTable } from './errors.ts';

/**
 * Queries the read models of the community (threads and posts) for commands. The read models may lag behind the events.
 */
export type CommunityDirectory = ReturnType<typeof createCommunityDirectory>;

export function createCommunityDirectory({ pool }: { readonly pool: Pool }) {
  return {
    /**
     * Returns true if any account has posted a text with this fingerprint since `since`. Ignores deleted posts and the
     * post `exceptPostId`. Hidden posts count, so that a hidden text cannot be posted again in another thread.
     */
    async isPosted(fingerprint: string, since: Date, exceptPostId?: PostId): Promise<boolean> {
      try {
        const { rows } = await pool.query({
          name: 'post-by-fingerprint',
          text: `select from ${COMMUNITY_POSTS.table}
                  where fingerprint = $1 and posted_at >= $2 and post_id is distinct from $3 limit 1`,
          values: [fingerprint, since.toISOString(), exceptPostId ?? null],
        });
        return rows.length > 0;
      } catch (error) {
        // If the projectors have not created the table yet, there are no posts.
        if (isMissingTable(error)) return false;
        throw error;
      }
    },
  };
}
