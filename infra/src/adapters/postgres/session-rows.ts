import { createHash, randomBytes } from 'node:crypto';
import { SESSION_IDLE_TIMEOUT_ms, SESSION_LIFETIME_ms, type Position } from '@alpenglow/domain';

/** The account of a new session, and the state of its sign-in data (password and two-step sign-in). */
export interface NewSession {
  readonly accountId: string;
  /** The number of password changes of the account before the session was opened. */
  readonly passwordVersion: number;
  /**
   * The number of times that two-step sign-in was switched on before this session was confirmed. A session is confirmed
   * by a valid code or by switching on two-step sign-in. 0 if the session was not confirmed.
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

/** The format of the token of a session and of a ticket. */
export const TOKEN = /^[\w-]{43}$/u;
/**
 * The time for which the last write of a session is known. Read models usually contain a write after milliseconds. The
 * time is limited, because the event log may have lost the write in a failover (decision 0070). Reads would then wait
 * until the log has reached this position again.
 */
export const WRITE_IS_KNOWN = `written_at > now() - interval '10 minutes'`;
/** An entry of a `from` clause. With it, the commit does not wait until the data is on disk. */
export const COMMIT_SETTING = `(select set_config('synchronous_commit', 'off', true)) as commit_setting`;
/** The SQL condition of a session that is neither expired nor unused for too long. */
export const IS_VALID = `expires_at > now() and last_used_at > now() - interval '${SESSION_IDLE_TIMEOUT_ms} ms'`;
/** The columns of a `Session`. */
export const COLUMNS = `session_id as "sessionId", account_id as "accountId", password_version as "passwordVersion",
                 two_step_version as "twoStepVersion",
                 (extract(epoch from now() - last_used_at) * 1000)::float8 as "idle_ms",
                 (extract(epoch from now() - confirmed_at) * 1000)::float8 as "confirmedAge_ms",
                 case when ${WRITE_IS_KNOWN} then json_build_object('position', written_position,
                   'age_ms', (extract(epoch from now() - written_at) * 1000)::float8) end as "lastWrite"`;

/** Returns a random token of 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the time at which a token that is issued now expires. */
export function expiry(): Date {
  return new Date(Date.now() + SESSION_LIFETIME_ms);
}

/** Returns the hash of a token. Only the hash is stored. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
