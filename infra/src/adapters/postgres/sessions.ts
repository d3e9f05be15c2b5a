import { createHash, randomBytes } from 'node:crypto';
import { SESSION_LIFETIME_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** Sign-ins: a random token for the person, its hash for us (decision 0004). */
export interface Sessions {
  /** Opens a session and answers its token: 43 characters, valid for 30 days. */
  open(accountId: string): Promise<string>;
  /** Whose session this is, or null when the token is unknown, expired or revoked. */
  find(token: string): Promise<string | null>;
  /** Ends one session. Ending one that is not there is not an error. */
  revoke(token: string): Promise<void>;
  /** Removes sessions that have expired. */
  sweep(): Promise<void>;
}

const TOKEN = /^[\w-]{43}$/u;

export function createSessions(pool: Pool): Sessions {
  return {
    async open(accountId) {
      const token = randomBytes(32).toString('base64url');
      await pool.query({
        name: 'session-open',
        text: 'insert into auth.sessions (token_hash, account_id, expires_at) values ($1, $2, $3)',
        values: [hashOf(token), accountId, new Date(Date.now() + SESSION_LIFETIME_ms)],
      });
      return token;
    },
    async find(token) {
      if (!TOKEN.test(token)) return null;
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'session-find',
        text: 'select account_id from auth.sessions where token_hash = $1 and expires_at > now()',
        values: [hashOf(token)],
      });
      return rows[0]?.account_id ?? null;
    },
    async revoke(token) {
      await pool.query({ name: 'session-revoke', text: 'delete from auth.sessions where token_hash = $1', values: [hashOf(token)] });
    },
    async sweep() {
      await pool.query('delete from auth.sessions where expires_at <= now()');
    },
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
