import { createHash, randomBytes } from 'node:crypto';
import {
  LIVE_TICKET_LIFETIME_ms,
  SESSION_IDLE_TIMEOUT_ms,
  SESSION_LIFETIME_ms,
  type Position,
} from '@alpenglow/domain';
import type { Pool } from 'pg';
import { createBatcher } from '../../service/batcher.ts';

/** The account of a new session, and the state of its sign-in data (password and two-step sign-in). */
export interface NewSession {
  readonly accountId: string;
  /** How often the password of the account had been changed when the session was opened. */
  readonly passwordVersion: number;
  /**
   * How often the account had switched on two-step sign-in when this session was confirmed. A session is confirmed by a
   * valid code or by switching on two-step sign-in. 0 if the session was not confirmed.
   */
  readonly twoStepVersion: number;
  /** Browser and system, e.g. `Firefox on Windows`. Empty if unknown. */
  readonly device?: string;
  /** A keyed hash of the network address. Empty if unknown. */
  readonly networkHash?: string;
  /** The position in the event log of the write that opened the session, e.g. of a sign-up. Null if there is none. */
  readonly writtenPosition?: Position | null;
}

/** The last write of a session. */
export interface SessionWrite {
  /** The position of the write in the event log. */
  readonly position: Position;
  /** Time in ms since the write was recorded. */
  readonly age_ms: number;
}

/** A session that is neither expired nor idle for too long. */
export interface Session extends Pick<NewSession, 'accountId' | 'passwordVersion' | 'twoStepVersion'> {
  readonly sessionId: string;
  /** Time in ms since the last recorded use. */
  readonly idle_ms: number;
  /** Time in ms since the password was entered in this session. */
  readonly confirmedAge_ms: number;
  /** The last write of the session, or null if it is older than ten minutes. */
  readonly lastWrite: SessionWrite | null;
}

/** A session as shown to its owner. Times are ISO 8601. */
export interface ListedSession {
  readonly sessionId: string;
  readonly device: string;
  readonly networkHash: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
}

/**
 * Stores the sessions of accounts. The client has a random token, and the database contains only the hash of the token
 * (decision 0004).
 */
export type Sessions = ReturnType<typeof createSessions>;

const TOKEN = /^[\w-]{43}$/u;
const SESSION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;
const MAX_LISTED = 100;
/**
 * The time for which the last write of a session is known. Read models usually contain a write after milliseconds. The
 * time is limited, because the event log may have lost the write in a failover (decision 0070). Reads would then wait
 * until the log has reached this position again.
 */
const WRITE_IS_KNOWN = `written_at > now() - interval '10 minutes'`;
const IS_VALID = `expires_at > now() and last_used_at > now() - interval '${SESSION_IDLE_TIMEOUT_ms} ms'`;
const COLUMNS = `session_id as "sessionId", account_id as "accountId", password_version as "passwordVersion",
                 two_step_version as "twoStepVersion",
                 (extract(epoch from now() - last_used_at) * 1000)::float8 as "idle_ms",
                 (extract(epoch from now() - confirmed_at) * 1000)::float8 as "confirmedAge_ms",
                 case when ${WRITE_IS_KNOWN} then json_build_object('position', written_position,
                   'age_ms', (extract(epoch from now() - written_at) * 1000)::float8) end as "lastWrite"`;

export function createSessions(pool: Pool) {
  const find = createBatcher(async (hashes: readonly Buffer[]) => {
    const { rows } = await pool.query<Session & { readonly tokenHash: Buffer }>({
      name: 'sessions-find',
      text: `select token_hash as "tokenHash", ${COLUMNS}
               from auth.sessions
              where token_hash = any($1) and ${IS_VALID}`,
      values: [hashes],
    });
    const found = new Map(rows.map(({ tokenHash, ...session }) => [textOf(tokenHash), session]));
    return hashes.map((hash) => found.get(textOf(hash)) ?? null);
  });

  /**
   * Records the use of sessions. Skips a session that another transaction has locked, because waiting for several rows
   * could cause a deadlock. The commit does not wait until the data is on disk. A record may therefore be skipped or
   * lost. The next request of the session then records its use.
   */
  const touch = createBatcher(async (sessionIds: readonly string[]) => {
    await pool.query({
      name: 'sessions-touch',
      text: `with unlocked as (
               select session_id from auth.sessions where session_id = any($1::uuid[]) and ${IS_VALID}
                  for no key update skip locked)
             update auth.sessions s set last_used_at = now()
               from unlocked u, (select set_config('synchronous_commit', 'off', true)) as commit_setting
              where s.session_id = u.session_id`,
      values: [sessionIds],
    });
    return sessionIds.map(() => undefined);
  });

  return {
    /** Opens a session and returns its token. The token has 43 characters and is valid for 30 days. */
    async open({
      accountId,
      passwordVersion,
      twoStepVersion,
      device = '',
      networkHash = '',
      writtenPosition = null,
    }: NewSession): Promise<string> {
      const token = newToken();
      await pool.query({
        name: 'session-open',
        text: `insert into auth.sessions
                 (token_hash, account_id, password_version, two_step_version, expires_at, device, network_hash,
                  written_position, written_at)
               values ($1, $2, $3, $4, $5, $6, $7, $8, case when $8::text is not null then now() end)`,
        values: [
          hashOf(token),
          accountId,
          passwordVersion,
          twoStepVersion,
          expiry(),
          device,
          networkHash,
          writtenPosition,
        ],
      });
      return token;
    },
    /** Returns the session of a token, or null if the token is unknown, expired, revoked or unused for too long. */
    find: async (token: string): Promise<Session | null> => (TOKEN.test(token) ? find(hashOf(token)) : null),
    /**
     * Records that a session is in use now. A session that has ended stays invalid. The record may be omitted while
     * another transaction changes the session, and it may be lost if the database fails.
     */
    touch: (sessionId: string): Promise<void> => touch(sessionId),
    /**
     * Records a write of a session, so that the following reads of the session wait for it, in every process. Two
     * writes may end in another order than their positions, so an earlier position replaces a later one only after ten
     * minutes. The commit does not wait until the data is on disk, so the record may be lost if the database fails.
     */
    async recordWrite(sessionId: string, position: Position): Promise<void> {
      await pool.query({
        name: 'session-record-write',
        text: `update auth.sessions
                  set written_position = case when ${WRITE_IS_KNOWN} and written_position > $2 then written_position
                                              else $2 end,
                      written_at = now()
                 from (select set_config('synchronous_commit', 'off', true)) as commit_setting
                where session_id = $1`,
        values: [sessionId, position],
      });
    },
    /** Records that the password was entered again in a session. A session that has ended stays invalid. */
    async confirm(sessionId: string): Promise<void> {
      await pool.query({
        name: 'session-confirm',
        text: `update auth.sessions set confirmed_at = now(), last_used_at = now()
                where session_id = $1 and ${IS_VALID}`,
        values: [sessionId],
      });
    },
    /** Returns the valid sessions of an account, the last used one first. */
    async list(accountId: string): Promise<readonly ListedSession[]> {
      const { rows } = await pool.query<
        Omit<ListedSession, 'createdAt' | 'lastUsedAt'> & Record<'createdAt' | 'lastUsedAt', Date>
      >({
        name: 'sessions-list',
        text: `select session_id as "sessionId", device, network_hash as "networkHash", created_at as "createdAt",
                      last_used_at as "lastUsedAt"
                 from auth.sessions
                where account_id = $1 and ${IS_VALID}
                order by last_used_at desc, session_id
                limit ${MAX_LISTED}`,
        values: [accountId],
      });
      return rows.map((row) => ({
        ...row,
        createdAt: row.createdAt.toISOString(),
        lastUsedAt: row.lastUsedAt.toISOString(),
      }));
    },
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
    /** Returns those of these sessions that are neither expired, revoked nor unused for too long. */
    async findByIds(sessionIds: readonly string[]): Promise<readonly Session[]> {
      const { rows } = await pool.query<Session>({
        name: 'sessions-by-ids',
        text: `select ${COLUMNS} from auth.sessions where session_id = any($1::uuid[]) and ${IS_VALID}`,
        values: [sessionIds],
      });
      return rows;
    },
    /** Returns a new ticket of a session. A ticket opens the live channel once, within a minute. */
    async issueLiveTicket(sessionId: string): Promise<string> {
      const ticket = newToken();
      await pool.query({
        name: 'live-ticket-issue',
        text: 'insert into auth.live_tickets (ticket_hash, session_id, expires_at) values ($1, $2, $3)',
        values: [hashOf(ticket), sessionId, new Date(Date.now() + LIVE_TICKET_LIFETIME_ms)],
      });
      return ticket;
    },
    /** Uses up a ticket and returns its session. Returns null if the ticket is unknown, used or expired. */
    async redeemLiveTicket(ticket: string): Promise<Session | null> {
      if (!TOKEN.test(ticket)) return null;
      const { rows } = await pool.query<Session>({
        name: 'live-ticket-redeem',
        text: `with ticket as (
                 delete from auth.live_tickets where ticket_hash = $1 returning session_id as id, expires_at as until
               )
               select ${COLUMNS}
                 from auth.sessions join ticket on session_id = id
                where until > now() and ${IS_VALID}`,
        values: [hashOf(ticket)],
      });
      return rows[0] ?? null;
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
