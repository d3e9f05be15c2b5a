import { createHash, randomBytes } from 'node:crypto';
import { SESSION_LIFETIME_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { gathered } from '../../gathered.ts';

/** Whose session it is. */
export interface Session {
  readonly accountId: string;
  /** How often their password had been changed when it was opened. */
  readonly passwordVersion: number;
  /** How often two-step sign-in had been switched on when a code opened the session, or it was switched on in it; 0: neither. */
  readonly twoStepVersion: number;
}

/** Sign-ins: a random token for the person, its hash for us (decision 0004). */
export interface Sessions {
  /** Opens a session and answers its token: 43 characters, valid for 30 days. */
  open(session: Session): Promise<string>;
  /** The session of a token, or null when the token is unknown, expired or revoked. */
  find(token: string): Promise<Session | null>;
  /** Gives the session another token and 30 more days; the old token stops working at once. Null when there is none of this token. */
  refresh(token: string): Promise<string | null>;
  /** Keeps the session over a change of the password that was made in it. */
  moveOn(token: string, passwordVersion: number): Promise<void>;
  /** Two-step sign-in was switched on in this session: it counts as opened with a code. */
  passTwoStep(token: string, twoStepVersion: number): Promise<void>;
  /** Ends one session. Ending one that is not there is not an error. */
  revoke(token: string): Promise<void>;
  /** Ends every session of an account. */
  revokeAll(accountId: string): Promise<void>;
  /** Removes sessions that have expired. */
  sweep(): Promise<void>;
}

interface SessionRow {
  readonly token_hash: Buffer;
  readonly account_id: string;
  readonly password_version: number;
  readonly two_step_version: number;
}

const TOKEN = /^[\w-]{43}$/u;

export function createSessions(pool: Pool): Sessions {
  const find = gathered(async (hashes: readonly Buffer[]) => {
    const { rows } = await pool.query<SessionRow>({
      name: 'sessions-find',
      text: 'select token_hash, account_id, password_version, two_step_version from auth.sessions where token_hash = any($1) and expires_at > now()',
      values: [hashes],
    });
    const found = new Map(
      rows.map((row) => [
        textOf(row.token_hash),
        { accountId: row.account_id, passwordVersion: row.password_version, twoStepVersion: row.two_step_version },
      ]),
    );
    return hashes.map((hash) => found.get(textOf(hash)) ?? null);
  });

  return {
    async open({ accountId, passwordVersion, twoStepVersion }) {
      const token = newToken();
      await pool.query({
        name: 'session-open',
        text: 'insert into auth.sessions (token_hash, account_id, password_version, two_step_version, expires_at) values ($1, $2, $3, $4, $5)',
        values: [hashOf(token), accountId, passwordVersion, twoStepVersion, expiry()],
      });
      return token;
    },
    find: async (token) => (TOKEN.test(token) ? find(hashOf(token)) : null),
    async refresh(token) {
      const next = newToken();
      // One statement is one transaction: of two refreshes at once, one finds the token gone.
      const { rowCount } = await pool.query({
        name: 'session-refresh',
        text: 'update auth.sessions set token_hash = $2, expires_at = $3 where token_hash = $1 and expires_at > now()',
        values: [hashOf(token), hashOf(next), expiry()],
      });
      return rowCount === 1 ? next : null;
    },
    async moveOn(token, passwordVersion) {
      await pool.query({
        name: 'session-move-on',
        text: 'update auth.sessions set password_version = $2 where token_hash = $1',
        values: [hashOf(token), passwordVersion],
      });
    },
    async passTwoStep(token, twoStepVersion) {
      await pool.query({
        name: 'session-pass-two-step',
        text: 'update auth.sessions set two_step_version = $2 where token_hash = $1',
        values: [hashOf(token), twoStepVersion],
      });
    },
    async revoke(token) {
      await pool.query({
        name: 'session-revoke',
        text: 'delete from auth.sessions where token_hash = $1',
        values: [hashOf(token)],
      });
    },
    async revokeAll(accountId) {
      await pool.query({
        name: 'session-revoke-all',
        text: 'delete from auth.sessions where account_id = $1',
        values: [accountId],
      });
    },
    async sweep() {
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
