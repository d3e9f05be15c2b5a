import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';

export interface Seeded {
  readonly seconds: number;
  readonly adsPerSecond: number;
}

/** An ad with a token of its poster's. */
export interface OwnedAd {
  readonly adId: string;
  readonly token: string;
}

const LOOK_EVERY_ms = 500;
const SESSIONS_AT_A_TIME = 10_000;

/** `npm run seed -- --ads <count>` for the product of this data folder, whether it runs or not; rejects when it fails. */
export async function seedAds(root: string, dataDir: string, count: number): Promise<Seeded> {
  const child = spawn('npm', ['run', 'seed', '--', '--ads', String(count)], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const found = /in ([\d.]+) s \((\d+)\/s\)/u.exec(text);
  if (code !== 0 || !found) throw new Error(`Seeding ended with ${String(code)}: ${text}`);
  return { seconds: Number(found[1]), adsPerSecond: Number(found[2]) };
}

/** Waits until every read model has come to the end of history. */
export async function untilCaughtUp(url: string): Promise<void> {
  for (;;) {
    const status = (await (await fetch(`${url}/api/sync/status`)).json()) as {
      data: { projections: { lag: number }[] };
    };
    if (status.data.projections.every(({ lag }) => lag === 0)) return;
    await pause(LOOK_EVERY_ms);
  }
}

/** So many made-up ads that may be bumped, each with a fresh session of its poster's. */
export async function signInPosters(databaseUrl: string, count: number): Promise<readonly OwnedAd[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const { rows } = await pool.query<{ account_id: string; ad_id: string }>(
      `select c.account_id, c.ad_id from rm.ad_cards c join rm.accounts a using (account_id)
        where a.email like 'generated-%' and c.last_bumped_at < now() - interval '1 hour' limit $1`,
      [count],
    );
    if (rows.length < count) throw new Error(`Only ${rows.length} ads can be bumped`);
    const owned = rows.map(({ account_id: accountId, ad_id: adId }) => ({
      accountId,
      adId,
      token: randomBytes(32).toString('base64url'),
    }));
    for (let from = 0; from < owned.length; from += SESSIONS_AT_A_TIME) {
      const some = owned.slice(from, from + SESSIONS_AT_A_TIME);
      await pool.query(
        `insert into auth.sessions (token_hash, account_id, expires_at) select token_hash, account_id, now() + interval '1 day' from unnest($1::bytea[], $2::text[]) as s (token_hash, account_id)`,
        [some.map(({ token }) => createHash('sha256').update(token).digest()), some.map(({ accountId }) => accountId)],
      );
    }
    return owned;
  } finally {
    await pool.end();
  }
}
