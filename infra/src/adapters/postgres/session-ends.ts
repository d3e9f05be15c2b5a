import type { Pool } from 'pg';
import { hashOf, IS_VALID } from './session-rows.ts';

const SESSION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** Creates the operations that end sessions. They delete rows of sessions. `sweep` also deletes expired tickets. */
export function createSessionEnds(pool: Pool) {
  return {
    /** Ends one session of an account. Returns false if the account has no such session. */
    async revokeById(accountId: string, sessionId: string): Promise<boolean> {
      if (!SESSION_ID.test(sessionId)) return false;
      const { rowCount } = await pool.query({
        name: 'session-revoke-by-id',
        text: 'delete from auth.sessions where account_id = $1 and session_id = $2',
        values: [accountId, sessionId],
      });
      return rowCount === 1;
    },
    /** Ends every session of an account except `sessionId`. */
    async revokeOthers(accountId: string, sessionId: string): Promise<void> {
      await pool.query({
        name: 'session-revoke-others',
        text: 'delete from auth.sessions where account_id = $1 and session_id <> $2',
        values: [accountId, sessionId],
      });
    },
    /** Ends one session. Does nothing if there is no such session. */
    async revoke(token: string): Promise<void> {
      await pool.query({
        name: 'session-revoke',
        text: 'delete from auth.sessions where token_hash = $1',
        values: [hashOf(token)],
      });
    },
    /** Ends every session of an account. */
    async revokeAll(accountId: string): Promise<void> {
      await pool.query({
        name: 'session-revoke-all',
        text: 'delete from auth.sessions where account_id = $1',
        values: [accountId],
      });
    },
    /** Returns the ids of all sessions of an account. */
    async findIds(accountId: string): Promise<readonly string[]> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'session-ids',
        text: 'select session_id as id from auth.sessions where account_id = $1',
        values: [accountId],
      });
      return rows.map(({ id }) => id);
    },
    /** Ends the sessions with these ids. */
    async revokeByIds(sessionIds: readonly string[]): Promise<void> {
      await pool.query({
        name: 'session-revoke-by-ids',
        text: 'delete from auth.sessions where session_id = any($1::uuid[])',
        values: [sessionIds],
      });
    },
    /** Ends every session of an account that was opened with a lower password version. */
    async revokeEarlier(accountId: string, passwordVersion: number): Promise<void> {
      await pool.query({
        name: 'session-revoke-earlier',
        text: 'delete from auth.sessions where account_id = $1 and password_version < $2',
        values: [accountId, passwordVersion],
      });
    },
    /** Removes the sessions and tickets that are no longer valid. */
    async sweep(): Promise<void> {
      await pool.query(`delete from auth.sessions where not (${IS_VALID})`);
      await pool.query('delete from auth.live_tickets where expires_at <= now()');
    },
  };
}
