import type { Pool } from 'pg';
import { createBatcher } from '../../service/batcher.ts';
import { createLiveTickets } from './live-tickets.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessionEnds } from './session-ends.ts';
import { createSessionWrites } from './session-writes.ts';
import {
  COLUMNS,
  COMMIT_SETTING,
  expiry,
  hashOf,
  IS_VALID,
  newToken,
  TOKEN,
  type NewSession,
  type Session,
} from './session-rows.ts';

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

const MAX_LISTED = 100;

/** Creates the access to sessions. Their tickets, changes, writes and ends are separate modules. */
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
               from unlocked u, ${COMMIT_SETTING}
              where s.session_id = u.session_id`,
      values: [sessionIds],
    });
    return sessionIds.map(() => undefined);
  });

  return {
    ...createSessionEnds(pool),
    ...createLiveTickets(pool),
    ...createSessionChanges(pool),
    ...createSessionWrites(pool),
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
    /** Returns those of these sessions that are neither expired, revoked nor unused for too long. */
    async findByIds(sessionIds: readonly string[]): Promise<readonly Session[]> {
      const { rows } = await pool.query<Session>({
        name: 'sessions-by-ids',
        text: `select ${COLUMNS} from auth.sessions where session_id = any($1::uuid[]) and ${IS_VALID}`,
        values: [sessionIds],
      });
      return rows;
    },
  };
}

function textOf(hash: Buffer): string {
  return hash.toString('base64');
}
