import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { UploadAnswer } from '@alpenglow/domain';
import { loadSecrets } from '@alpenglow/infra';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { main as backupMain } from '../../infra/tools/backup.ts';
import { KEPT_TABLES, LEFT_OUT } from '../../infra/tools/backup/tables.ts';
import { main as restoreMain } from '../../infra/tools/restore.ts';
import { Actor } from '../support/actor.ts';
import { PASSWORD, apiClient, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { contentsOf, differencesOf, digestOf, filesBelow, query, type Contents } from '../support/installation.ts';
import { pictures } from '../support/pictures.ts';
import { freshPlace, startTestProduct, type Place, type TestProduct } from '../support/product.ts';
import { randomNumbers } from '../support/random.ts';
import { buildTools, type Tools } from '../support/tools.ts';

/**
 * A product with demo ads, reviews, sign-ups, photos, edits and deletions is backed up twice: `busy` while it is written to, `still`
 * afterwards. What is restored from them is held against it.
 */

let tools: Tools;
let folder: string;
let source: TestProduct;
let busy: string;
let still: string;
/** The source as it is when `still` is made; its read models change no more. */
let contents: Contents;
let listed: string;
let provider: Person;
let unverified: Person;
let photoUrl: string;
let adId: string;
let slowUpload_status: number;

const envOf = ({ databaseUrl, dataDir }: Place) => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
const manifestOf = async (backup: string) =>
  JSON.parse(await readFile(path.join(backup, 'manifest.json'), 'utf8')) as {
    events: { count: number; sha256: string };
    blobs: { count: number };
    files: Record<string, unknown>;
    secrets: { included: boolean };
  };

async function uploadPhoto(url: string, token: string): Promise<UploadAnswer> {
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(await pictures.jpeg(900, 700))], { type: 'image/jpeg' }), 'photo.jpg');
  const response = await fetch(`${url}/api/uploads/photos`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as UploadAnswer;
}

/** An upload whose bytes stop half-way until `finish` is called. */
async function beginUpload(url: string, token: string): Promise<{ finish(): Promise<number> }> {
  const boundary = randomUUID();
  const picture = await pictures.jpeg(1000, 800);
  const req = request(`${url}/api/uploads/photos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  const answered = new Promise<number>((resolve, reject) => {
    req.once('error', reject);
    req.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  req.write(
    `--${boundary}\r\ncontent-disposition: form-data; name="photos"; filename="a.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`,
  );
  req.write(picture.subarray(0, 5_000));
  return {
    finish() {
      req.end(Buffer.concat([picture.subarray(5_000), Buffer.from(`\r\n--${boundary}--\r\n`)]));
      return answered;
    },
  };
}

beforeAll(async () => {
  tools = await buildTools();
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-backups-'));
  [busy, still] = [path.join(folder, 'busy'), path.join(folder, 'still')];
  source = await startTestProduct({ demo: true });
  const api = apiClient(source.url);
  provider = await api.signUp('provider');
  unverified = await api.signUp('client', { verify: false });
  const { urls } = await uploadPhoto(source.url, provider.token);
  photoUrl = urls[0] ?? '';
  const { id, position } = await api.postAd(provider.token, { phone: '+1 555 0100', photos: urls });
  adId = id;
  await api.call('GET', `/api/ads/${adId}`, { headers: { 'x-wait-position': position } });
  await api.call('POST', '/api/favorites', { token: unverified.token, body: { adId } });
  const [thread] = (await api.call('GET', '/api/community/threads')).body['data'] as readonly { readonly id: string }[];
  expect(
    (
      await api.call('PUT', `/api/community/threads/${thread?.id}/follow`, {
        token: provider.token,
        body: { mail: 'daily' },
      })
    ).status,
  ).toBe(200);

  const leaving = await api.signUp('client');
  const erasure = await api.call('POST', '/api/account/erasure', {
    token: leaving.token,
    body: { password: PASSWORD },
  });
  expect(erasure.status).toBe(202);
  const { receiptId } = erasure.body['data'] as { readonly receiptId: string };
  // One under way would go on where it is restored.
  await eventually(
    async () =>
      expect((await api.call('GET', `/api/account/erasure/${receiptId}`)).body['data']).toMatchObject({
        status: 'complete',
      }),
    { interval_ms: 500 },
  );

  const admin = await api.signUp('client', { email: 'admin@example.com' });
  const rule = {
    title: 'Phones in words',
    phrases: ['call me at'],
    rule: 'contact',
    facts: 'Numbers belong in their field.',
  };
  expect((await api.call('POST', '/api/admin/rules', { token: admin.token, body: rule })).status).toBe(201);
  const shown = new FormData();
  shown.append('files', new Blob([new Uint8Array(await pictures.jpeg(300, 200))], { type: 'image/jpeg' }), 'me.jpg');
  expect(
    (
      await fetch(`${source.url}/api/account/identity`, {
        method: 'POST',
        body: shown,
        headers: { authorization: `Bearer ${provider.token}` },
      })
    ).status,
  ).toBe(201);

  const demoAds = (await api.call('GET', '/api/ads?limit=2')).body['data'] as readonly { readonly id: string }[];
  expect(
    (
      await api.call('POST', '/api/reports', {
        body: {
          subject: { kind: 'ad', id: demoAds.find(({ id: other }) => other !== adId)?.id ?? '' },
          reason: 'forced',
        },
      })
    ).status,
  ).toBe(201);

  const stopped = new AbortController();
  const random = randomNumbers(11);
  const actors = Array.from({ length: 4 }, () => new Actor());
  const written = () => actors.reduce((sum, { count }) => sum + count, 0);
  const acting = actors.map(async (actor) => {
    while (!stopped.signal.aborted) expect(await actor.act({ url: source.url, api }, random)).toBe(true);
  });
  // New people all the time, whose keys and photos are new too.
  const joining = (async () => {
    while (!stopped.signal.aborted) await uploadPhoto(source.url, (await api.signUp('provider')).token);
  })();
  await eventually(() => expect(written()).toBeGreaterThan(150));
  const upload = await beginUpload(source.url, provider.token);
  const backedUp = await tools.run('backup', ['--to', busy, '--with-secrets'], envOf(source));
  slowUpload_status = await upload.finish();
  expect(backedUp).toMatchObject({ code: 0 });
  stopped.abort();
  await Promise.all([...acting, joining]);

  await settled(source.databaseUrl);
  expect(await tools.run('backup', ['--to', still], envOf(source))).toMatchObject({ code: 0 });
  contents = await contentsOf(source.databaseUrl);
  listed = JSON.stringify((await api.call('GET', '/api/ads?limit=100')).body['data']);
});

afterAll(async () => {
  await source.stop();
  await tools.remove();
  await rm(folder, { recursive: true, force: true });
});

let place: Awaited<ReturnType<typeof freshPlace>>;
beforeEach(async () => {
  place = await freshPlace();
});
afterEach(() => place.remove());

/** Waits until nothing changes any more: every photo judged, every event projected, every view and mail written. */
async function settled(databaseUrl: string): Promise<void> {
  let before = '';
  await eventually(
    async () => {
      const now =
        JSON.stringify(await contentsOf(databaseUrl)) +
        JSON.stringify(await query(databaseUrl, 'select id from mail.inbox order by 1'));
      const isSame = now === before;
      before = now;
      expect(isSame && !now.includes('processing')).toBe(true);
    },
    { interval_ms: 2_500 },
  );
}

const secretsEnv = async () => {
  const { accountIds, dataKeys, verificationCodes } = await loadSecrets(source.dataDir);
  return { SECRET_ACCOUNT_IDS: accountIds, SECRET_DATA_KEYS: dataKeys, SECRET_VERIFICATION_CODES: verificationCodes };
};

describe('a backup', () => {
  test('holds everything that is a source of truth, and its own secrets only when asked for', async () => {
    expect((await readdir(still)).sort()).toEqual([
      'blobs',
      'blobs.ndjson.gz',
      'events.ndjson.gz',
      'manifest.json',
      'tables',
    ]);
    expect((await readdir(busy)).sort()).toEqual([
      'blobs',
      'blobs.ndjson.gz',
      'events.ndjson.gz',
      'manifest.json',
      'secrets.json',
      'tables',
    ]);
    expect(await manifestOf(still)).toMatchObject({
      events: { count: contents.events.length },
      tables: { 'auth.data_keys': contents.keys.length, 'stats.ad_views': contents.views.length },
      secrets: { included: false },
    });
    expect(contents.views).not.toEqual([]);
    expect(await filesBelow(path.join(still, 'blobs'))).toEqual(await filesBelow(path.join(source.dataDir, 'blobs')));
    expect(JSON.parse(await readFile(path.join(busy, 'secrets.json'), 'utf8'))).toEqual(
      await loadSecrets(source.dataDir),
    );
  });

  test('is for its owner alone', async () => {
    for (const entry of [busy, ...(await readdir(busy, { recursive: true })).map((name) => path.join(busy, name))]) {
      const { mode } = await stat(entry);
      expect(mode & 0o077, entry).toBe(0);
    }
  });

  test('shows nothing personal without the secrets', async () => {
    const gunzipped = (await import('node:zlib'))
      .gunzipSync(await readFile(path.join(still, 'events.ndjson.gz')))
      .toString('utf8');
    expect(gunzipped).toContain('$sealed');
    for (const words of [provider.email, '+1 555 0100', 'demo.alpenglow.example'])
      expect(gunzipped).not.toContain(words);
  });

  test('says what it leaves out of the tables there are', async () => {
    const tables = await query<{ schema: string; name: string }>(
      source.databaseUrl,
      `select table_schema as schema, table_schema || '.' || table_name as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const known = (schema: string, name: string) =>
      KEPT_TABLES.some((table) => table.name === name) || name in LEFT_OUT || schema in LEFT_OUT;
    expect(tables.filter(({ schema, name }) => !known(schema, name))).toEqual([]);
    const there = new Set(tables.flatMap(({ schema, name }) => [schema, name]));
    expect(
      [...Object.keys(LEFT_OUT), ...KEPT_TABLES.map(({ name }) => name)].filter((name) => !there.has(name)),
    ).toEqual([]);
  });

  test('leaves what the product is writing alone', () => {
    expect(slowUpload_status).toBe(201);
  });

  test('is there whole or not at all: killed, interrupted, or where something is already', async () => {
    const to = path.join(folder, 'broken-off');
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const broken = tools.start('backup', ['--to', to], envOf(source));
      await eventually(
        async () => expect((await readdir(path.join(`${to}.unfinished`, 'blobs'))).length).toBeGreaterThan(0),
        { interval_ms: 5 },
      );
      broken.kill(signal);
      const { code } = await broken.ended;
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      expect(existsSync(to)).toBe(false);
      expect(existsSync(`${to}.unfinished/manifest.json`)).toBe(false);
      expect(existsSync(`${to}.unfinished`)).toBe(signal === 'SIGKILL');
    }
    expect(await tools.run('backup', ['--to', to], envOf(source))).toMatchObject({ code: 0 });
    expect((await readdir(folder)).filter((name) => name.startsWith('broken-off'))).toEqual(['broken-off']);
    expect((await manifestOf(to)).events).toEqual((await manifestOf(still)).events);
    const again = await tools.run('backup', ['--to', to], envOf(source));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('is there already');
  });

  test('is refused with secrets of another installation, without any when they are to be in it, and where there is nothing', async () => {
    const to = path.join(folder, 'refused');
    const noSecrets = await tools.run('backup', ['--to', to, '--with-secrets'], {
      DATABASE_URL: source.databaseUrl,
      DATA_DIR: place.dataDir,
    });
    expect(noSecrets.stderr).toContain('The secrets are not here');
    await loadSecrets(place.dataDir);
    const others = await tools.run('backup', ['--to', to], {
      DATABASE_URL: source.databaseUrl,
      DATA_DIR: place.dataDir,
    });
    expect(others.stderr).toContain('they are those of another one');
    const nothing = await tools.run('backup', ['--to', to], {
      DATABASE_URL: place.databaseUrl,
      DATA_DIR: place.dataDir,
    });
    expect(nothing.stderr).toContain('There is no installation in this database.');
    const empty = await tools.run('backup', ['--to', to], { DATA_DIR: place.dataDir });
    expect(empty.stderr).toContain('There is no installation in');
    expect([noSecrets.code, others.code, nothing.code, empty.code]).toEqual([1, 1, 1, 1]);
    expect((await readdir(folder)).filter((name) => name.startsWith('refused'))).toEqual([]);
  });

  test.each([
    ['backup', backupMain, []],
    ['backup', backupMain, ['--to']],
    ['backup', backupMain, ['--to', 'x', '--all']],
    ['restore', restoreMain, []],
    ['restore', restoreMain, ['x']],
  ] as const)('%s answers wrong arguments with its usage and exit code 2', async (name, run, args) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await run(args, { env: {}, rootDir: '/nowhere', ownsDataDir: false })).toBe(2);
    expect(said.mock.calls.flat().join()).toContain(`Usage: npm run ${name}`);
  });
});

describe('a restore', () => {
  let restored: TestProduct | null;
  beforeEach(() => {
    restored = null;
  });
  const stopRestored = async () => {
    await restored?.stop();
    restored = null;
  };
  afterEach(stopRestored);

  async function start(): Promise<{ readonly url: string; readonly api: ApiClient }> {
    restored = await startTestProduct({ demo: true }, place);
    return { url: restored.url, api: apiClient(restored.url) };
  }

  test('of a backup gives the same read models, byte by byte, and the same pictures and answers', async () => {
    expect(await tools.run('restore', ['--from', still], { ...envOf(place), ...(await secretsEnv()) })).toMatchObject({
      code: 0,
    });
    const secretsInUse = 'select t::text as line from auth.secrets_in_use t';
    expect(await query(place.databaseUrl, secretsInUse)).toEqual(await query(source.databaseUrl, secretsInUse));
    expect(await query(place.databaseUrl, 'select kind from es.store_in_use')).toEqual([{ kind: 'postgres' }]);
    // The product of the test reads its secrets from the folder.
    await cp(path.join(source.dataDir, 'secrets.json'), path.join(place.dataDir, 'secrets.json'));
    const { url, api } = await start();
    await settled(place.databaseUrl);

    const found = await contentsOf(place.databaseUrl);
    expect(Object.keys(found.readModels)).toEqual([
      'accounts',
      'ad_cards',
      'ad_details',
      'ad_links',
      'ad_owners',
      'ad_standings',
      'ad_tallies',
      'ad_words',
      'article_tags',
      'articles',
      'community_places',
      'community_posts',
      'community_threads',
      'daily_counts',
      'decisions',
      'erasures',
      'favorites',
      'helpful_marks',
      'hiding_rules',
      'identity_checks',
      'media_items',
      'moderation_cases',
      'reports',
      'thread_follows',
      'transparency_days',
      'verification_codes',
    ]);
    for (const [name, rows] of Object.entries(contents.readModels)) expect(rows, name).not.toEqual([]);
    expect(differencesOf(found, contents)).toEqual({});
    expect(JSON.stringify((await api.call('GET', '/api/ads?limit=100')).body['data'])).toBe(listed);
    const picture = await fetch(`${url}${photoUrl}`);
    expect(digestOf(new Uint8Array(await picture.arrayBuffer()))).toBe(
      digestOf(await readFile(path.join(source.dataDir, 'blobs', photoUrl.slice('/uploads/'.length)))),
    );
    expect(await filesBelow(path.join(place.dataDir, 'blobs'))).toEqual(
      await filesBelow(path.join(source.dataDir, 'blobs')),
    );

    await stopRestored();
    // What docs/backup.md says to do when Postgres was restored by itself: the read models are built again.
    const [, sql = ''] =
      /```sql\n([\s\S]+?)```/u.exec(
        await readFile(path.resolve(import.meta.dirname, '../../docs/backup.md'), 'utf8'),
      ) ?? [];
    await query(place.databaseUrl, sql);
    expect((await contentsOf(place.databaseUrl)).readModels).toEqual({});
    await start();
    await settled(place.databaseUrl);
    expect(differencesOf(await contentsOf(place.databaseUrl), contents)).toEqual({});

    await stopRestored();
    const again = await tools.run('restore', ['--from', busy], envOf(place));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('This installation is not empty.');
    expect(differencesOf(await contentsOf(place.databaseUrl), contents)).toEqual({});
  });

  test('of a backup made while the product was written to is whole: the history up to a moment, and all that belongs to it', async () => {
    expect(await tools.run('restore', ['--from', busy], envOf(place))).toMatchObject({ code: 0 });
    expect(await loadSecrets(place.dataDir)).toEqual(await loadSecrets(source.dataDir));
    expect((await stat(path.join(place.dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
    const { count } = (await manifestOf(busy)).events;
    expect(count).toBeLessThan(contents.events.length);
    const { url, api } = await start();
    await settled(place.databaseUrl);
    const found = await contentsOf(place.databaseUrl);
    expect(found.events.slice(0, count)).toEqual(contents.events.slice(0, count));
    // What came after the backup here is the verdict on photos that had none.
    for (const event of found.events.slice(count)) expect(event).toContain('|PhotoVariantsMade|');

    // Rows whose stream has not moved since, there or here, are the same.
    const moved = new Set(
      [contents, found].flatMap(({ events }) =>
        events.slice(count).map((event) => (event.split('|')[0] ?? '').replace(/^\w+-/u, '')),
      ),
    );
    const untouched = (rows: readonly string[] = []) =>
      rows.filter((row) => !moved.has(row.slice(1).split(',')[0] ?? ''));
    for (const name of ['accounts', 'ad_cards', 'ad_details', 'media_items']) {
      expect(untouched(contents.readModels[name]).length, name).toBeGreaterThan(10);
      expect(untouched(found.readModels[name]), name).toEqual(untouched(contents.readModels[name]));
    }
    expect(await query(place.databaseUrl, `select media_id from rm.media_items where status <> 'ready'`)).toEqual([]);
    const shown = await query<{ id: string }>(place.databaseUrl, `select media_id as id from rm.media_items`);
    expect(shown.length).toBeGreaterThan(12);
    for (const { id } of shown) expect((await fetch(`${url}/uploads/photos/${id}/320.avif`)).status, id).toBe(200);

    // Sessions are not in a backup. Who had not verified yet gets the mail again.
    expect((await api.call('GET', '/api/ads/user', { token: provider.token })).status).toBe(401);
    const login = await api.call('POST', '/api/auth/login', {
      body: { email: provider.email, password: 'correct horse' },
    });
    expect(login.status).toBe(200);
    const token = (login.body as { token: string }).token;
    expect((await api.call('GET', `/api/ads/${adId}`, { token })).body['data']).toMatchObject({
      phone: '+1 555 0100',
      isOwner: true,
    });
    await eventually(async () =>
      expect(
        await query(place.databaseUrl, `select "to" from mail.inbox where "to" in ($1, $2)`, [
          unverified.email,
          provider.email,
        ]),
      ).toEqual([{ to: unverified.email }]),
    );
    expect(
      (
        await api.call('POST', '/api/auth/verify-email', {
          body: { email: unverified.email, code: unverified.verificationCode },
        })
      ).status,
    ).toBe(200);
  });

  test('is gone on with after kill -9, wherever that struck; until then nothing else may work there', async () => {
    const env = envOf(place);
    const struck: number[] = [];
    const marked = async () =>
      (
        await query<{ found: boolean }>(
          place.databaseUrl,
          `select to_regclass('public.restore_under_way') is not null as found`,
        )
      )[0]?.found === true;
    const eventsThere = async () => (await query(place.databaseUrl, 'select from es.events')).length;
    for (const isTime of [
      marked,
      async () => (await marked()) && (await readdir(path.join(place.dataDir, 'blobs/photos'))).length > 3,
      async () => (await marked()) && (await eventsThere()) > 30,
    ]) {
      const broken = tools.start('restore', ['--from', busy], env);
      await eventually(async () => expect(await isTime()).toBe(true), { interval_ms: 5 });
      broken.kill('SIGKILL');
      expect((await broken.ended).code).toBeNull();
      struck.push(await eventsThere());
    }
    expect(struck[0]).toBe(0);
    expect(struck[2]).toBeGreaterThan(30);
    expect(struck[2]).toBeLessThan((await manifestOf(busy)).events.count);

    await expect(startTestProduct({ demo: true }, place)).rejects.toThrow(
      'A backup is being restored into this database',
    );
    const other = await tools.run('restore', ['--from', still], { ...env, ...(await secretsEnv()) });
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('The restore of another backup was broken off here.');
    const half = await tools.run('backup', ['--to', path.join(folder, 'half')], env);
    expect(half.stderr).toContain('only half restored');

    const finished = await tools.run('restore', ['--from', busy], env);
    expect(finished).toMatchObject({ code: 0 });
    const { count } = (await manifestOf(busy)).events;
    expect((await contentsOf(place.databaseUrl)).events).toEqual(contents.events.slice(0, count));
    await start();
  });

  test('is refused while services run, and changes nothing', async () => {
    const running = await tools.run('restore', ['--from', busy], envOf(source));
    expect(running.code).toBe(1);
    expect(running.stderr).toContain('Services of the product are at work on this database');
    expect(differencesOf(await contentsOf(source.databaseUrl), contents)).toEqual({});
  });

  test('is refused without the right secrets', async () => {
    const none = await tools.run('restore', ['--from', still], envOf(place));
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('The secrets are not in this backup');
    await loadSecrets(place.dataDir);
    const others = await tools.run('restore', ['--from', busy], envOf(place));
    expect(others.code).toBe(1);
    expect(others.stderr).toContain('holds the secrets of another installation');
    expect(await query(place.databaseUrl, 'select from es.events')).toEqual([]);
  });

  test.each([
    ['an event file with a byte changed', async (backup: string) => change(path.join(backup, 'events.ndjson.gz'))],
    [
      'a table with a byte changed',
      async (backup: string) => change(path.join(backup, 'tables/auth.data_keys.ndjson.gz')),
    ],
    [
      'a picture with a byte changed',
      async (backup: string) => change(path.join(backup, 'blobs', photoUrl.slice('/uploads/'.length))),
    ],
    [
      'a picture too long',
      async (backup: string) => appendFile(path.join(backup, 'blobs', photoUrl.slice('/uploads/'.length)), 'x'),
    ],
    ['a picture missing', async (backup: string) => rm(path.join(backup, 'blobs', photoUrl.slice('/uploads/'.length)))],
    ['an index missing', async (backup: string) => rm(path.join(backup, 'blobs.ndjson.gz'))],
    [
      'another number of events',
      async (backup: string) => edit(backup, (text) => text.replace(/"count": \d+/u, '"count": 1')),
    ],
    [
      'a file that is not listed',
      async (backup: string) => edit(backup, (text) => text.replace('"events.ndjson.gz"', '"elsewhere"')),
    ],
    ['half a manifest', async (backup: string) => edit(backup, (text) => text.slice(0, text.length / 2))],
    ['no manifest', async (backup: string) => rm(path.join(backup, 'manifest.json'))],
    [
      'a format of the future',
      async (backup: string) => edit(backup, (text) => text.replace('"format": 1', '"format": 2')),
    ],
  ])('refuses %s before it writes anything', async (_what, spoil) => {
    const spoiled = path.join(folder, 'spoiled');
    await cp(busy, spoiled, { recursive: true });
    try {
      await spoil(spoiled);
      const refused = await tools.run('restore', ['--from', spoiled], envOf(place));
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/is missing|is damaged|is no backup|newer version|does not list|does not hold/u);
      expect(
        await query(
          place.databaseUrl,
          `select table_name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`,
        ),
      ).toEqual([]);
      expect(await readdir(place.dataDir)).toEqual([]);
    } finally {
      await rm(spoiled, { recursive: true, force: true });
    }
  });
});

async function change(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

async function edit(backup: string, how: (text: string) => string): Promise<void> {
  const file = path.join(backup, 'manifest.json');
  const text = await readFile(file, 'utf8');
  expect(how(text)).not.toBe(text);
  await writeFile(file, how(text));
}
