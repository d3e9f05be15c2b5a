import type { Pool } from 'pg';
import { accountIdOfKey } from '../../security/personal-data.ts';
import { KEY_CACHE_AGE_ms } from './data-key-cache.ts';
import { numberOf } from './data-key-rows.ts';
import { listen } from './pool.ts';

/** The assumed maximum time in ms of a running lookup of keys. */
const MAX_LOOKUP_ms = 1_000;
/**
 * The Postgres channel that notifies all processes when the encryption keys of an account were retired or destroyed.
 */
const KEYS_CHANGED_CHANNEL = 'data_keys_changed';

/**
 * Calls `onChange` with the account id when encryption keys of an account were retired or destroyed. Calls
 * `onReconnect` when the connection is established again, because a notification or a stored key may have been lost.
 */
export function listenForKeyChanges(
  connectionString: string,
  { onChange, onReconnect }: { readonly onChange: (accountId: string) => void; readonly onReconnect: () => void },
) {
  return listen(connectionString, [KEYS_CHANGED_CHANNEL], (_channel, accountId) => onChange(accountId), {
    onReconnect,
    applicationName: 'alpenglow-keys',
  });
}

/**
 * Returns whether a process may still use a key of an account that was destroyed in the last 6 s, by the clock of
 * Postgres. Such a process has the key in its cache, or was reading it when it was destroyed.
 */
export async function mayUseDestroyedKeys(pool: Pool, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from auth.data_keys
      where split_part(account_id, '~', 1) = $1
        and destroyed_at > clock_timestamp() - ${KEY_CACHE_AGE_ms + MAX_LOOKUP_ms} * interval '1 ms' limit 1`,
    [accountId],
  );
  return rowCount === 1;
}

interface KeyRetirementOptions {
  readonly pool: Pool;
  /** Returns the stored keys by key id. Omits a key that does not exist or is damaged. */
  readonly loadKeys: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Buffer | null>>;
  /** Removes the keys of an account from the memory of this process. */
  readonly forgetAccount: (accountId: string) => void;
}

/**
 * Creates the operations that retire and destroy keys. Invariant: each change notifies all processes, and removes the
 * keys of the account from the memory of this process.
 */
export function createKeyRetirement({ pool, loadKeys, forgetAccount }: KeyRetirementOptions) {
  return {
    /**
     * Retires the account's current encryption key, so that later data is encrypted with a new key. Every call retires
     * the key that is current at that time.
     */
    async retire(accountId: string): Promise<void> {
      await pool.query(
        `with retired as (
           insert into auth.key_generations as known (account_id, generation) values ($1, 2)
           on conflict (account_id) do update set generation = known.generation + 1)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1)`,
        [accountId],
      );
      forgetAccount(accountId);
    },
    /** Permanently destroys the retired encryption keys of this account, but not its current key. Idempotent. */
    async destroyRetired(accountId: string): Promise<void> {
      // The row of the key is not deleted. It shows that the key was destroyed and not lost.
      await pool.query(
        `with destroyed as (
           update auth.data_keys k set wrapped_key = null, secret_id = null
             from auth.key_generations g
            where g.account_id = $1 and split_part(k.account_id, '~', 1) = $1
              and ${numberOf('k.account_id')} <> g.generation)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1)`,
        [accountId],
      );
      forgetAccount(accountId);
    },
    /**
     * Returns whether an encryption key of this account is not destroyed, although it is not the current key. Checks
     * the stored keys of the account, and the keys `keyIds`.
     */
    async hasRetired(accountId: string, keyIds: readonly string[]): Promise<boolean> {
      const { rowCount } = await pool.query(
        `select from auth.data_keys k join auth.key_generations g on g.account_id = $1
          where (split_part(k.account_id, '~', 1) = $1 or k.account_id = any($2))
            and ${numberOf('k.account_id')} <> g.generation and k.wrapped_key is not null limit 1`,
        [accountId, keyIds],
      );
      return rowCount === 1;
    },
    /**
     * Records that lost keys of an account are destroyed, because the account is being erased. A key is lost if its row
     * is missing or damaged. Other keys of `keyIds`, and the current key of the account, do not change. Idempotent.
     * Returns the number of keys that were recorded.
     */
    async giveUpLost(accountId: string, keyIds: readonly string[]): Promise<number> {
      const own = keyIds.filter((id) => accountIdOfKey(id) === accountId);
      const stored = await loadKeys(own);
      const { rowCount } = await pool.query(
        `with lost as (
           insert into auth.data_keys (account_id, wrapped_key)
           select f.id, null from unnest($2::text[]) as f (id)
            where not exists (
              select from auth.key_generations g where g.account_id = $1 and ${numberOf('f.id')} = g.generation)
           on conflict (account_id) do update set wrapped_key = null, secret_id = null
           returning account_id)
         select pg_notify('${KEYS_CHANGED_CHANNEL}', $1) from lost`,
        [accountId, own.filter((id) => !stored.has(id))],
      );
      forgetAccount(accountId);
      return rowCount ?? 0;
    },
  };
}
