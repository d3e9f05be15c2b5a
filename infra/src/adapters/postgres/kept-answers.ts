import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** An answer as it was given. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What an account, or whoever has the token of a decision, asked for under an Idempotency-Key. */
export interface KeyedRequest {
  readonly accountId: string;
  readonly key: string;
  /** Of method, path and body. */
  readonly hash: Buffer;
}

export type Claim =
  /** Nobody has asked before, or whoever did is gone without an answer: it is for the asker to do, and to `keep` or `release`. */
  | { readonly state: 'ours'; readonly turn: string }
  | { readonly state: 'answered'; readonly answer: KeptAnswer }
  /** It was answered, and how is not kept any more: somebody whose words it may have had was erased. */
  | { readonly state: 'gone' }
  | { readonly state: 'under way' }
  /** The key belongs to another request. */
  | { readonly state: 'other' };

/** The first answers to Idempotency-Keys, for 24 h, shared by all processes. */
export interface KeptAnswers {
  claim(request: KeyedRequest): Promise<Claim>;
  /** Keeps the answer of a claim that is still ours. */
  keep(request: KeyedRequest, turn: string, answer: KeptAnswer): Promise<void>;
  /** Frees the key of a claim that is still ours. */
  release(request: KeyedRequest, turn: string): Promise<void>;
  /** Removes what is older than 24 h. */
  sweep(): Promise<void>;
}

/** Longer than any call takes that reads no upload; after it, the process that had the turn counts as gone. */
const TURN_ms = 60_000;
/** A key that is freed between being taken and being looked at is taken again. */
const ATTEMPTS = 3;

export function createKeptAnswers(pool: Pool): KeptAnswers {
  async function take({ accountId, key, hash }: KeyedRequest, turn: string): Promise<boolean> {
    const { rowCount } = await pool.query({
      name: 'answer-take',
      text: `insert into requests.answers as a (account_id, key, request_hash, turn, locked_until, expires_at)
             values ($1, $2, $3, $4, now() + $5 * interval '1 ms', now() + $6 * interval '1 ms')
             on conflict (account_id, key) do update
               set request_hash = excluded.request_hash, turn = excluded.turn, locked_until = excluded.locked_until, expires_at = excluded.expires_at, status = null, headers = null, body = null
               where a.expires_at <= now() or (a.status is null and a.locked_until <= now() and a.request_hash = excluded.request_hash)`,
      values: [accountId, key, hash, turn, TURN_ms, IDEMPOTENCY_ms],
    });
    return rowCount === 1;
  }

  async function look({ accountId, key, hash }: KeyedRequest): Promise<Claim | null> {
    const { rows } = await pool.query<{
      request_hash: Buffer;
      status: number | null;
      headers: Record<string, string> | null;
      body: Buffer | null;
    }>({
      name: 'answer-look',
      text: 'select request_hash, status, headers, body from requests.answers where account_id = $1 and key = $2',
      values: [accountId, key],
    });
    const [row] = rows;
    if (!row) return null;
    if (!row.request_hash.equals(hash)) return { state: 'other' };
    if (row.status === null) return { state: 'under way' };
    if (row.body === null) return { state: 'gone' };
    return { state: 'answered', answer: { status: row.status, headers: row.headers ?? {}, body: row.body } };
  }

  return {
    async claim(request) {
      const turn = randomUUID();
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        if (await take(request, turn)) return { state: 'ours', turn };
        const found = await look(request);
        if (found) return found;
      }
      return { state: 'under way' };
    },
    async keep({ accountId, key }, turn, { status, headers, body }) {
      await pool.query({
        name: 'answer-keep',
        text: 'update requests.answers set status = $4, headers = $5, body = $6 where account_id = $1 and key = $2 and turn = $3',
        values: [accountId, key, turn, status, headers, body],
      });
    },
    async release({ accountId, key }, turn) {
      await pool.query({
        name: 'answer-release',
        text: 'delete from requests.answers where account_id = $1 and key = $2 and turn = $3 and status is null',
        values: [accountId, key, turn],
      });
    },
    async sweep() {
      await pool.query('delete from requests.answers where expires_at <= now()');
    },
  };
}
