import type { Pool } from 'pg';
import { expiry, hashOf, IS_VALID, newToken } from './session-rows.ts';

/** Creates the operations that change what a session proves: its token, and when and how it was confirmed. */
export function createSessionChanges(pool: Pool) {
  return {
    /** Records that the password was entered again in a session. A session that has ended stays invalid. */
    async confirm(sessionId: string): Promise<void> {
      await pool.query({
        name: 'session-confirm',
        text: `update auth.sessions set confirmed_at = now(), last_used_at = now()
                where session_id = $1 and ${IS_VALID}`,
        values: [sessionId],
      });
    },
    /**
     * Replaces the token of a session with a new one, which is valid for 30 days. The old token becomes invalid at
     * once. Returns null if there is no session with the old token.
     */
    async refresh(token: string): Promise<string | null> {
      const next = newToken();
      // If two refreshes run at the same time, the second one finds no session, because a single statement is a
      // transaction.
      const { rowCount } = await pool.query({
        name: 'session-refresh',
        text: `update auth.sessions set token_hash = $2, expires_at = $3 where token_hash = $1 and ${IS_VALID}`,
        values: [hashOf(token), hashOf(next), expiry()],
      });
      return rowCount === 1 ? next : null;
    },
    /**
     * Stores the new password version in the session in which the password was changed, because a session with an older
     * version is invalid.
     */
    async updatePasswordVersion(token: string, passwordVersion: number): Promise<void> {
      await pool.query({
        name: 'session-move-on',
        text: 'update auth.sessions set password_version = $2, confirmed_at = now() where token_hash = $1',
        values: [hashOf(token), passwordVersion],
      });
    },
    /**
     * Stores the new two-step version in the session that switched on two-step sign-in. The session then counts as
     * confirmed.
     */
    async updateTwoStepVersion(token: string, twoStepVersion: number): Promise<void> {
      await pool.query({
        name: 'session-pass-two-step',
        text: 'update auth.sessions set two_step_version = $2 where token_hash = $1',
        values: [hashOf(token), twoStepVersion],
      });
    },
  };
}
