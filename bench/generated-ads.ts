import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ACCOUNTS, AD_CARDS, type Pool } from '@alpenglow/infra';
import { runScript } from './npm.ts';

/** An ad and a session token of its owner. */
export interface OwnedAd {
  readonly adId: string;
  readonly token: string;
}

const POLL_INTERVAL_ms = 500;
const SESSIONS_PER_QUERY = 10_000;

/**
 * Runs `npm run seed -- --ads <count>` for the product with this data directory. The product may be running. Returns
 * the written ads per second. Rejects if the command fails.
 */
export async function seedAds(
  root: string,
  dataDir: string,
  count: number,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = await runScript(root, ['seed', '--', '--ads', String(count)], { DATA_DIR: dataDir, ...env });
  const [, perSecond] = /in [\d.]+ s \((\d+)\/s\)/u.exec(text) ?? [];
  if (perSecond === undefined) throw new Error(`Seeding printed no rate: ${text}`);
  return Number(perSecond);
}

/** Waits until every read model is up to date. */
export async function waitUntilCaughtUp(url: string): Promise<void> {
  for (;;) {
    const status = (await (await fetch(`${url}/api/sync/force`, { method: 'POST' })).json()) as {
      data: { projections: { state: string }[] };
    };
    if (status.data.projections.every(({ state }) => state === 'live')) return;
    await pause(POLL_INTERVAL_ms);
  }
}

/**
 * Creates sessions for the owners of `count` generated ads. Selects only ads whose last bump is so long ago that they
 * may be bumped again.
 */
export async function signInPosters(pool: Pool, count: number): Promise<readonly OwnedAd[]> {
  const { rows } = await pool.query<{ account_id: string; ad_id: string }>(
    `select c.account_id, c.ad_id from ${AD_CARDS.table} c join ${ACCOUNTS.table} a using (account_id)
      where a.email like 'generated-%' and c.last_bumped_at < now() - interval '1 hour' limit $1`,
    [count],
  );
  if (rows.length < count) throw new Error(`Only ${rows.length} ads can be bumped`);
  const owned = rows.map(({ account_id: accountId, ad_id: adId }) => ({
    accountId,
    adId,
    token: randomBytes(32).toString('base64url'),
  }));
  for (let from = 0; from < owned.length; from += SESSIONS_PER_QUERY) {
    const batch = owned.slice(from, from + SESSIONS_PER_QUERY);
    await pool.query(
      `insert into auth.sessions (token_hash, account_id, expires_at)
       select token_hash, account_id, now() + interval '1 day'
         from unnest($1::bytea[], $2::text[]) as s (token_hash, account_id)`,
      [batch.map(({ token }) => createHash('sha256').update(token).digest()), batch.map(({ accountId }) => accountId)],
    );
  }
  return owned;
}
