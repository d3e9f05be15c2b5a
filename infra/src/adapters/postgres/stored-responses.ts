import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY_LIFETIME_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** The parts of an HTTP response that are stored, so that a repeated request gets the same response. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * A request with an Idempotency-Key. `accountId` identifies an account, or a person without an account who uses the
 * token of a moderation decision.
 */
export interface IdempotentRequest {
  readonly accountId: string;
  readonly key: string;
  /** The hash of the request's method, path and body. */
  readonly hash: Buffer;
}

/** The right of one process to handle a request. */
export interface ClaimedTurn {
  readonly turn: string;
  /** The time at which the first attempt of the request began, in ms since 1970. */
  readonly firstAt_ms: number;
  /** True if an earlier attempt of the request may have written events. */
  readonly isRepeated: boolean;
}

type Claim =
  /**
   * This request must be handled, because its key is new, or because the outcome of an earlier attempt is unknown. The
   * caller must then call `store`, `release` or `allowRepetition`.
   */
  | ({ readonly state: 'ours' } & ClaimedTurn)
  | { readonly state: 'answered'; readonly response: StoredResponse }
  /**
   * The request was handled, but its response was removed when an account was erased, because the response may have
   * contained personal data.
   */
  | { readonly state: 'gone' }
  | { readonly state: 'under way' }
  /** The key was already used for another request. */
  | { readonly state: 'other' };

/**
 * Stores the response of each request with an Idempotency-Key for 24 h, so that repetitions of the request get the same
 * response.
 */
export type StoredResponses = ReturnType<typeof createStoredResponses>;

/**
 * The time for which a process may handle a request before its claim of the key expires. Every request without an
 * upload is shorter, so the process counts as ended after this time.
 */
const TURN_ms = 60_000;
/**
 * The maximum number of attempts to claim a key. Another attempt is needed if the key is released between the insert
 * and the check.
 */
const ATTEMPTS = 3;

export function createStoredResponses(pool: Pool) {
  async function insertClaim({ accountId, key, hash }: IdempotentRequest): Promise<ClaimedTurn | null> {
    const turn = randomUUID();
    const { rows } = await pool.query<{ first_at_ms: number; is_repeated: boolean }>({
      name: 'response-claim',
      // Another attempt of a request does not change `expires_at`, from which the time of the first attempt is known.
      text: `insert into requests.answers as a (account_id, key, request_hash, turn, locked_until, expires_at)
             values ($1, $2, $3, $4, now() + $5 * interval '1 ms', now() + $6 * interval '1 ms')
             on conflict (account_id, key) do update
               set request_hash = excluded.request_hash, turn = excluded.turn, locked_until = excluded.locked_until,
                   expires_at = case when a.expires_at <= now() then excluded.expires_at else a.expires_at end,
                   status = null, headers = null, body = null
             where a.expires_at <= now()
                or (a.status is null and a.locked_until <= now() and a.request_hash = excluded.request_hash)
             returning (extract(epoch from a.expires_at) * 1000 - $6)::float8 as first_at_ms,
                       a.expires_at < now() + $6 * interval '1 ms' as is_repeated`,
      values: [accountId, key, hash, turn, TURN_ms, IDEMPOTENCY_KEY_LIFETIME_ms],
    });
    const [row] = rows;
    return row ? { turn, firstAt_ms: row.first_at_ms, isRepeated: row.is_repeated } : null;
  }

  async function findClaim({ accountId, key, hash }: IdempotentRequest): Promise<Claim | null> {
    const { rows } = await pool.query<{
      request_hash: Buffer;
      status: number | null;
      headers: Record<string, string> | null;
      body: Buffer | null;
    }>({
      name: 'response-find',
      text: 'select request_hash, status, headers, body from requests.answers where account_id = $1 and key = $2',
      values: [accountId, key],
    });
    const [row] = rows;
    if (!row) return null;
    if (!row.request_hash.equals(hash)) return { state: 'other' };
    if (row.status === null) return { state: 'under way' };
    if (row.body === null) return { state: 'gone' };
    return { state: 'answered', response: { status: row.status, headers: row.headers ?? {}, body: row.body } };
  }

  return {
    async claim(request: IdempotentRequest): Promise<Claim> {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const claimed = await insertClaim(request);
        if (claimed) return { state: 'ours', ...claimed };
        const existing = await findClaim(request);
        if (existing) return existing;
      }
      return { state: 'under way' };
    },
    /** Stores the response, if this process still has the claim of the key that `turn` identifies. */
    async store(
      { accountId, key }: IdempotentRequest,
      turn: string,
      { status, headers, body }: StoredResponse,
    ): Promise<void> {
      await pool.query({
        name: 'response-store',
        text: `update requests.answers set status = $4, headers = $5, body = $6
                where account_id = $1 and key = $2 and turn = $3`,
        values: [accountId, key, turn, status, headers, body],
      });
    },
    /**
     * Allows the same request to run again at once, because its outcome is unknown. The key remains reserved for this
     * request.
     */
    async allowRepetition({ accountId, key }: IdempotentRequest, turn: string): Promise<void> {
      await pool.query({
        name: 'response-allow-repetition',
        text: `update requests.answers set locked_until = now()
                where account_id = $1 and key = $2 and turn = $3 and status is null`,
        values: [accountId, key, turn],
      });
    },
    /** Releases the key for other requests, if this process still has the claim of the key that `turn` identifies. */
    async release({ accountId, key }: IdempotentRequest, turn: string): Promise<void> {
      await pool.query({
        name: 'response-release',
        text: 'delete from requests.answers where account_id = $1 and key = $2 and turn = $3 and status is null',
        values: [accountId, key, turn],
      });
    },
    /** Removes responses older than 24 h. */
    async sweep(): Promise<void> {
      await pool.query('delete from requests.answers where expires_at <= now()');
    },
  };
}
