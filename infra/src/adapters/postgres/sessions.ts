import { createHash, randomBytes } from 'node:crypto';
import { SESSION_LIFETIME_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { createBatcher } from '../../service/batcher.ts';

/**
 * The account of a session, and the state of its sign-in data (password and two-step sign-in) when the session was
 * opened.
 */
export interface Session {
  readonly accountId: string;
  /** How often the password of the account had been changed when the session was opened. */
  readonly passwordVersion: number;
  /**
   * How often the account had switched on two-step sign-in when this session was confirmed. A session is confirmed by a
   * valid code or by switching on two-step sign-in. 0 if the session was not confirmed.
   */
  readonly twoStepVersion: number;
}

/**
 * Stores the sessions of accounts. The client has a random token, and the database contains only the hash of the token
 * (decision 0004).
 */
export type Sessions = ReturnType<typeof createSessions>;

const TOKEN = /^[\w-]{43}$/u;

export function createSessions(pool: Pool) {
  const find = createBatcher(async (hashes: readonly Buffer[]) => {
    const { rows } = await pool.query<Session & { readonly tokenHash: Buffer }>({
      name: 'sessions-find',
      text: `select token_hash as "tokenHash", account_id as "accountId", password_version as "passwordVersion",
                    two_step_version as "twoStepVersion"
               from auth.sessions
              where token_hash = any($1) and expires_at > now()`,
      values: [hashes],
    });
    const found = new Map(rows.map(({ tokenHash, ...session }) => [textOf(tokenHash), session]));
    return hashes.map((hash) => found.get(textOf(hash)) ?? null);
  });

  return {
    /** Opens a session and returns its token. The token has 43 characters and is valid for 30 days. */
    async open({ accountId, passwordVersion, twoStepVersion }: Session): Promise<string> {
      const token = newToken();
      await pool.query({
        name: 'session-open',
        text: `insert into auth.sessions (token_hash, account_id, password_version, two_step_version, expires_at)
               values ($1, $2, $3, $4, $5)`,
        values: [hashOf(token), accountId, passwordVersion, twoStepVersion, expiry()],
      });
      return token;
    },
    /** Returns the session of a token, or null if the token is unknown, expired or revoked. */
    find: async (token: string): Promise<Session | null> => (TOKEN.test(token) ? find(hashOf(token)) : null),
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
        text: 'update auth.sessions set token_hash = $2, expires_at = $3 where token_hash = $1 and expires_at > now()',
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
        text: 'update auth.sessions set password_version = $2 where token_hash = $1',
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
    /** Removes expired sessions. */
    async sweep(): Promise<void> {
      await pool.query('delete from auth.sessions where expires_at <= now()');
    },
  };
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function expiry(): Date {
  return new Date(Date.now() + SESSION_LIFETIME_ms);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function textOf(hash: Buffer): string {
  return hash.toString('base64');
}
