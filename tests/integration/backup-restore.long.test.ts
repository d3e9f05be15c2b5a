import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { toCaseId, type ResponseOf } from '@alpenglow/domain';
import { loadSecrets } from '@alpenglow/infra';
import { Encrypter } from 'age-encryption';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { main as backupMain } from '../../launcher/tools/backup.ts';
import { readBackupKey, writeBackupKey } from '../../launcher/tools/backup/backup-key.ts';
import { BACKED_UP_TABLES, OMITTED_TABLES } from '../../launcher/tools/backup/tables.ts';
import { main as restoreMain } from '../../launcher/tools/restore.ts';
import { Actor } from '../support/actor.ts';
import { after, apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  readContents,
  deleteReadModels,
  differencesOf,
  digestOf,
  digestFilesBelow,
  query,
  type InstallationContents,
} from '../support/installation.ts';
import { convertToUnencrypted, decryptFile } from '../support/open-backup.ts';
import { photoOf } from '../support/picture-corpus.ts';
import { pictures } from '../support/pictures.ts';
import { createEmptyLocation, startTestProduct, type DataLocation, type TestProduct } from '../support/product.ts';
import { randomNumbers } from '../support/random.ts';
import { buildTools, type Tools } from '../support/tools.ts';
import { createStaffUrls, settledBlobFiles, upload } from '../support/uploads.ts';
import { whenAvailable } from '../support/when-available.ts';

// Tests backup and restore of a product with demo ads, reviews, sign-ups, photos, edits and deletions. One
// backup is made during writes (`busyBackup`) and one after all writes (`quietBackup`). The tests compare
// restored installations with the product.

let tools: Tools;
let folder: string;
let source: TestProduct;
let busyBackup: string;
let quietBackup: string;
/** The decrypted content of both backups, in the format of earlier releases. */
let openedBusyBackup: string;
let openedQuietBackup: string;
/** Snapshot of the source installation at the time of `quietBackup`. Its read models do not change afterwards. */
let contents: InstallationContents;
let listedAds: string;
let provider: Person;
let unverified: Person;
let photoUrl: string;
let adId: string;
let slowUpload_status: number;

const envOf = ({ databaseUrl, dataDir }: DataLocation) => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
const manifestOf = async (backup: string) =>
  JSON.parse((await decryptFile(path.join(backup, 'manifest.json.age'), tools.backupKeyFile)).toString('utf8')) as {
    events: { count: number; sha256: string };
    blobs: { count: number };
    files: Record<string, unknown>;
    secrets: { included: boolean };
  };

/**
 * Uploads a photo. On a busy machine, the checks may take longer than the server waits (202). The photo is then
 * uploaded again.
 */
const uploadPhoto = (url: string, token: string, bytes?: Buffer) =>
  eventually(async () => {
    const photo = { bytes: bytes ?? (await pictures.jpeg(900, 700)) };
    const { status, body } = await upload(url, 'photos', [photo], token);
    expect(status).toBe(201);
    return body as unknown as ResponseOf<'uploadPhotos'>;
  });

/** Posts an ad with a photo that resembles no other one. An admin then takes this photo down after a report. */
async function takePhotoDown(url: string, adminToken: string): Promise<void> {
  const api = apiClient(url);
  const { token } = await api.signUp('provider');
  const { urls, media } = await uploadPhoto(url, token, await photoOf(1));
  await api.postAd(token, { photos: urls });
  const subject = { kind: 'media', id: media[0]?.id ?? '' } as const;
  const filed = await api.call('POST', '/api/reports', { body: { subject, reason: 'my_content' } });
  expect(filed.status).toBe(201);
  const address = `/api/admin/moderation/cases/${toCaseId(subject)}`;
  const claimed = await api.call('POST', `${address}/claim`, { token: adminToken, headers: after(filed) });
  const decided = await api.call('POST', `${address}/decide`, {
    token: adminToken,
    body: { outcome: 'removed', rule: 'consent', facts: 'The person did not agree.' },
    headers: after(claimed),
  });
  expect(decided.status).toBe(200);
}

/** Starts an upload that pauses in the middle until `finish` is called. */
async function startSlowUpload(url: string, token: string): Promise<{ finish(): Promise<number> }> {
  const boundary = randomUUID();
  const picture = await pictures.jpeg(1000, 800);
  const req = request(`${url}/api/uploads/photos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  const responseStatus = new Promise<number>((resolve, reject) => {
    req.once('error', reject);
    req.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  req.write(
    `--${boundary}\r\ncontent-disposition: form-data; name="photos"; filename="a.jpg"\r\n` +
      'content-type: image/jpeg\r\n\r\n',
  );
  req.write(picture.subarray(0, 5_000));
  return {
    finish() {
      req.end(Buffer.concat([picture.subarray(5_000), Buffer.from(`\r\n--${boundary}--\r\n`)]));
      return responseStatus;
    },
  };
}

beforeAll(async () => {
  tools = await buildTools();
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-backups-'));
  [busyBackup, quietBackup] = [path.join(folder, 'busy'), path.join(folder, 'still')];
  source = await startTestProduct({ isDemo: true });
  const api = apiClient(source.url);
  provider = await api.signUp('provider');
  unverified = await api.signUp('client', { verify: false });
  const { urls } = await uploadPhoto(source.url, provider.token);
  photoUrl = urls[0] ?? '';
  const { id, position } = await api.postAd(provider.token, { phone: '+17025550100', photos: urls });
  adId = id;
  await api.call('GET', `/api/ads/${adId}`, { headers: after(position) });
  await api.call('POST', `/api/ads/${adId}/views`);
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
  // Waits for the end of the erasure. A restored installation would resume an incomplete erasure and change its data.
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
  const identityForm = new FormData();
  identityForm.append(
    'files',
    new Blob([new Uint8Array(await pictures.jpeg(300, 200))], { type: 'image/jpeg' }),
    'me.jpg',
  );
  expect(
    (
      await fetch(`${source.url}/api/account/identity`, {
        method: 'POST',
        body: identityForm,
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

  expect(
    (
      await api.call('POST', '/api/removal-requests', {
        body: {
          name: 'Anna Example',
          email: 'anna@example.com',
          relation: 'self',
          links: ['/ad/unknown'],
          statement: true,
          signature: 'Anna Example',
        },
      })
    ).status,
  ).toBe(201);

  await takePhotoDown(source.url, admin.token);

  const stopped = new AbortController();
  const random = randomNumbers(11);
  const actors = Array.from({ length: 4 }, () => new Actor());
  const countWrites = () => actors.reduce((sum, { acknowledgedCount }) => sum + acknowledgedCount, 0);
  const acting = actors.map(async (actor) => {
    while (!stopped.signal.aborted) expect(await actor.performNextStep({ url: source.url, api }, random)).toBe(true);
  });
  // During the backup, accounts sign up and upload photos. Each new account has a new encryption key.
  const signingUp = (async () => {
    while (!stopped.signal.aborted) await uploadPhoto(source.url, (await api.signUp('provider')).token);
  })();
  await eventually(() => expect(countWrites()).toBeGreaterThan(150));
  // The upload starts before the backup and ends while the backup runs. The upload must not wait for the end of the
  // backup, because an upload has a time limit and a backup has none.
  const upload = await startSlowUpload(source.url, provider.token);
  const backingUp = tools.run('backup', ['--to', busyBackup, '--with-secrets'], envOf(source));
  await eventually(() => expect(existsSync(`${busyBackup}.unfinished`) || existsSync(busyBackup)).toBe(true), {
    interval_ms: 5,
  });
  slowUpload_status = await upload.finish();
  expect(await backingUp).toMatchObject({ code: 0 });
  stopped.abort();
  await Promise.all([...acting, signingUp]);

  await waitUntilSettled(source);
  expect(await tools.run('backup', ['--to', quietBackup], envOf(source))).toMatchObject({ code: 0 });
  [openedBusyBackup, openedQuietBackup] = [path.join(folder, 'opened-busy'), path.join(folder, 'opened-still')];
  await convertToUnencrypted(busyBackup, tools.backupKeyFile, openedBusyBackup);
  await convertToUnencrypted(quietBackup, tools.backupKeyFile, openedQuietBackup);
  contents = await readContents(source.databaseUrl);
  listedAds = JSON.stringify((await api.call('GET', '/api/ads?limit=100')).body['data']);
});

afterAll(async () => {
  await source.stop();
  await tools.remove();
  await rm(folder, { recursive: true, force: true });
});

let place: Awaited<ReturnType<typeof createEmptyLocation>>;
beforeEach(async () => {
  place = await createEmptyLocation();
});
afterEach(() => place.remove());

/**
 * Waits until all photos and events are processed, the uploaded original files are removed, and all views and mails are
 * written. The data does not change afterwards.
 */
async function waitUntilSettled({ databaseUrl, dataDir }: DataLocation): Promise<void> {
  let previous = '';
  await eventually(
    async () => {
      const behind = await query(
        databaseUrl,
        `select name from rm.checkpoints
          where name not like 'reactor-%' and name not like 'relay-%'
            and position::bigint < (select max(position) from es.events)`,
      );
      expect(behind).toEqual([]);
      await settledBlobFiles(dataDir);
      const current =
        JSON.stringify(await readContents(databaseUrl)) +
        JSON.stringify(await query(databaseUrl, 'select id from mail.inbox order by 1')) +
        JSON.stringify((await readdir(path.join(dataDir, 'blobs'), { recursive: true })).sort());
      const isSame = current === previous;
      previous = current;
      expect(isSame && !current.includes('processing')).toBe(true);
    },
    { interval_ms: 2_500 },
  );
}

const secretsEnv = async () => {
  const { accountIds, dataKeys, verificationCodes } = await loadSecrets(source.dataDir);
  return { SECRET_ACCOUNT_IDS: accountIds, SECRET_DATA_KEYS: dataKeys, SECRET_VERIFICATION_CODES: verificationCodes };
};

describe('a backup', () => {
  test('contains every source of truth, and secrets only on request', async () => {
    expect((await readdir(quietBackup)).sort()).toEqual([
      'blobs',
      'blobs.ndjson.gz.age',
      'events.ndjson.gz.age',
      'manifest.hmac',
      'manifest.json.age',
      'tables',
    ]);
    expect((await readdir(busyBackup)).sort()).toEqual([
      'blobs',
      'blobs.ndjson.gz.age',
      'events.ndjson.gz.age',
      'manifest.hmac',
      'manifest.json.age',
      'secrets.json.age',
      'tables',
    ]);
    expect(await manifestOf(quietBackup)).toMatchObject({
      events: { count: contents.events.length },
      tables: { 'auth.data_keys': contents.keys.length, 'stats.ad_views': contents.views.length },
      secrets: { included: false },
    });
    expect(contents.views).not.toEqual([]);
    expect(await digestFilesBelow(path.join(openedQuietBackup, 'blobs'))).toEqual(
      await digestFilesBelow(path.join(source.dataDir, 'blobs')),
    );
    expect(JSON.parse(await readFile(path.join(openedBusyBackup, 'secrets.json'), 'utf8'))).toEqual(
      await loadSecrets(source.dataDir),
    );
  });

  test('is readable for its owner only', async () => {
    for (const entry of [
      busyBackup,
      ...(await readdir(busyBackup, { recursive: true })).map((name) => path.join(busyBackup, name)),
    ]) {
      const { mode } = await stat(entry);
      expect(mode & 0o077, entry).toBe(0);
    }
  });

  test('contains no readable personal data without the secrets', async () => {
    const gunzipped = (await import('node:zlib'))
      .gunzipSync(await readFile(path.join(openedQuietBackup, 'events.ndjson.gz')))
      .toString('utf8');
    expect(gunzipped).toContain('$sealed');
    for (const text of [provider.email, '+17025550100', 'demo.alpenglow.example'])
      expect(gunzipped).not.toContain(text);
  });

  test('contains or deliberately omits every table of the database', async () => {
    const tables = await query<{ schema: string; name: string }>(
      source.databaseUrl,
      `select table_schema as schema, table_schema || '.' || table_name as name
         from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const isKnown = (schema: string, name: string) =>
      BACKED_UP_TABLES.some((table) => table.name === name) || name in OMITTED_TABLES || schema in OMITTED_TABLES;
    expect(tables.filter(({ schema, name }) => !isKnown(schema, name))).toEqual([]);
    const existing = new Set(tables.flatMap(({ schema, name }) => [schema, name]));
    expect(
      [...Object.keys(OMITTED_TABLES), ...BACKED_UP_TABLES.map(({ name }) => name)].filter(
        (name) => !existing.has(name),
      ),
    ).toEqual([]);
  });

  test('does not interrupt a running upload', () => {
    // The response is 202 if the checks of the photo take long.
    expect([201, 202]).toContain(slowUpload_status);
  });

  test('is complete or absent after a kill, an interruption or a conflict with an existing folder', async () => {
    const to = path.join(folder, 'interrupted');
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const interrupted = tools.start('backup', ['--to', to], envOf(source));
      await eventually(
        async () => expect((await readdir(path.join(`${to}.unfinished`, 'blobs'))).length).toBeGreaterThan(0),
        { interval_ms: 5 },
      );
      interrupted.kill(signal);
      const { code } = await interrupted.ended;
      expect(code).toBe(signal === 'SIGINT' ? 130 : null);
      expect(existsSync(to)).toBe(false);
      expect(existsSync(`${to}.unfinished/manifest.json.age`)).toBe(false);
      expect(existsSync(`${to}.unfinished`)).toBe(signal === 'SIGKILL');
    }
    expect(await tools.run('backup', ['--to', to], envOf(source))).toMatchObject({ code: 0 });
    expect((await readdir(folder)).filter((name) => name.startsWith('interrupted'))).toEqual(['interrupted']);
    expect((await manifestOf(to)).events).toEqual((await manifestOf(quietBackup)).events);
    const again = await tools.run('backup', ['--to', to], envOf(source));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('already exists');
  });

  test('is rejected without an installation, without secrets and with secrets of another installation', async () => {
    const to = path.join(folder, 'rejected');
    const noSecrets = await tools.run('backup', ['--to', to, '--with-secrets'], {
      DATABASE_URL: source.databaseUrl,
      DATA_DIR: place.dataDir,
    });
    expect(noSecrets.stderr).toContain('The secrets are not here');
    await loadSecrets(place.dataDir);
    const foreignSecrets = await tools.run('backup', ['--to', to], {
      DATABASE_URL: source.databaseUrl,
      DATA_DIR: place.dataDir,
    });
    expect(foreignSecrets.stderr).toContain('they belong to another one');
    const emptyDatabase = await tools.run('backup', ['--to', to], {
      DATABASE_URL: place.databaseUrl,
      DATA_DIR: place.dataDir,
    });
    expect(emptyDatabase.stderr).toContain('There is no installation in this database.');
    const emptyFolder = await tools.run('backup', ['--to', to], { DATA_DIR: place.dataDir });
    expect(emptyFolder.stderr).toContain('There is no installation in');
    const noKey = await tools.run('backup', ['--to', to], {
      ...envOf(source),
      BACKUP_KEY_FILE: path.join(folder, 'no-key.txt'),
    });
    expect(noKey.stderr).toContain('add --create-key');
    const keyInBackup = await tools.run('backup', ['--to', to, '--create-key'], {
      ...envOf(source),
      BACKUP_KEY_FILE: path.join(to, 'key.txt'),
    });
    expect(keyInBackup.stderr).toContain('is in the folder of the backup');
    const codes = [noSecrets, foreignSecrets, emptyDatabase, emptyFolder, noKey, keyInBackup].map(({ code }) => code);
    expect(codes).toEqual([1, 1, 1, 1, 1, 1]);
    expect(existsSync(path.join(folder, 'no-key.txt'))).toBe(false);
    expect((await readdir(folder)).filter((name) => name.startsWith('rejected'))).toEqual([]);
  });

  test.each([
    ['backup', backupMain, []],
    ['backup', backupMain, ['--to']],
    ['backup', backupMain, ['--to', 'x', '--all']],
    ['restore', restoreMain, []],
    ['restore', restoreMain, ['x']],
  ] as const)('%s prints its usage and returns exit code 2 for invalid arguments', async (name, run, args) => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await run(args, { env: {}, rootDir: '/nowhere', ownsDataDir: false })).toBe(2);
    expect(write.mock.calls.flat().join()).toContain(`Usage: npm run ${name}`);
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
    restored = await startTestProduct({ isDemo: true }, place);
    return { url: restored.url, api: apiClient(restored.url) };
  }

  test('creates identical read models, pictures and responses', async () => {
    expect(
      await tools.run('restore', ['--from', quietBackup], { ...envOf(place), ...(await secretsEnv()) }),
    ).toMatchObject({
      code: 0,
    });
    const secretsInUse = 'select t::text as line from auth.secrets_in_use t';
    expect(await query(place.databaseUrl, secretsInUse)).toEqual(await query(source.databaseUrl, secretsInUse));
    expect(await query(place.databaseUrl, 'select kind from es.store_in_use')).toEqual([{ kind: 'postgres' }]);
    // The test product reads its secrets from the data folder, so the file with the secrets is copied to this folder.
    await cp(path.join(source.dataDir, 'secrets.json'), path.join(place.dataDir, 'secrets.json'));
    const { url, api } = await start();
    await waitUntilSettled(place);

    const restoredContents = await readContents(place.databaseUrl);
    expect(Object.keys(restoredContents.readModels)).toEqual([
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
      'identity_pictures',
      'media_items',
      'moderation_cases',
      'removal_requests',
      'reports',
      'taken_down_pictures',
      'thread_follows',
      'transparency_days',
      'verification_codes',
    ]);
    for (const [name, rows] of Object.entries(contents.readModels)) expect(rows, name).not.toEqual([]);
    expect(differencesOf(restoredContents, contents)).toEqual({});
    const logEntries = 'select entry::text as line, hash from audit.log_entries order by number';
    await eventually(async () =>
      expect(await query(place.databaseUrl, logEntries)).toEqual(await query(source.databaseUrl, logEntries)),
    );
    expect(JSON.stringify((await api.call('GET', '/api/ads?limit=100')).body['data'])).toBe(listedAds);
    const picture = await whenAvailable(() => fetch(`${url}${photoUrl}`));
    expect(digestOf(new Uint8Array(await picture.arrayBuffer()))).toBe(
      digestOf(await readFile(path.join(source.dataDir, 'blobs', photoUrl.slice('/uploads/'.length)))),
    );
    expect(await digestFilesBelow(path.join(place.dataDir, 'blobs'))).toEqual(
      await digestFilesBelow(path.join(source.dataDir, 'blobs')),
    );

    await stopRestored();
    await deleteReadModels(place.databaseUrl);
    expect((await readContents(place.databaseUrl)).readModels).toEqual({});
    await start();
    await waitUntilSettled(place);
    expect(differencesOf(await readContents(place.databaseUrl), contents)).toEqual({});

    await stopRestored();
    const again = await tools.run('restore', ['--from', busyBackup], envOf(place));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('This installation is not empty.');
    expect(differencesOf(await readContents(place.databaseUrl), contents)).toEqual({});
  });

  test('of a backup made during writes contains the history up to one position and all related data', async () => {
    expect(await tools.run('restore', ['--from', busyBackup], envOf(place))).toMatchObject({ code: 0 });
    expect(await loadSecrets(place.dataDir)).toEqual(await loadSecrets(source.dataDir));
    expect((await stat(path.join(place.dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
    const { count } = (await manifestOf(busyBackup)).events;
    expect(count).toBeLessThan(contents.events.length);
    const entriesWithoutEvent = 'select from audit.log_entries where event_id not in (select id from es.events)';
    expect(await query(place.databaseUrl, entriesWithoutEvent)).toEqual([]);
    const { url, api } = await start();
    await waitUntilSettled(place);
    const restoredContents = await readContents(place.databaseUrl);
    expect(restoredContents.events.slice(0, count)).toEqual(contents.events.slice(0, count));
    // All later events are results of photos that were not processed at the time of the backup.
    for (const event of restoredContents.events.slice(count)) expect(event).toContain('|PhotoVariantsMade|');

    // Compares only rows whose stream has no later events. These rows must be identical.
    const changed = new Set(
      [contents, restoredContents].flatMap(({ events }) =>
        events.slice(count).map((event) => (event.split('|')[0] ?? '').replace(/^\w+-/u, '')),
      ),
    );
    const untouched = (rows: readonly string[] = []) =>
      rows.filter((row) => !changed.has(row.slice(1).split(',')[0] ?? ''));
    for (const name of ['accounts', 'ad_cards', 'ad_details', 'media_items']) {
      expect(untouched(contents.readModels[name]).length, name).toBeGreaterThan(10);
      expect(untouched(restoredContents.readModels[name]), name).toEqual(untouched(contents.readModels[name]));
    }
    expect(await query(place.databaseUrl, `select media_id from rm.media_items where status <> 'ready'`)).toEqual([]);
    const photos = await query<{ id: string }>(place.databaseUrl, `select media_id as id from rm.media_items`);
    expect(photos.length).toBeGreaterThan(12);
    const staffUrl = await createStaffUrls(place.dataDir);
    for (const { id } of photos)
      expect((await whenAvailable(() => fetch(staffUrl(id, `${url}/uploads/photos/${id}/320.avif`)))).status, id).toBe(
        200,
      );

    // A backup contains no sessions, so the earlier token is invalid.
    expect((await api.call('GET', '/api/ads/user', { token: provider.token })).status).toBe(401);
    const login = await api.call('POST', '/api/auth/login', {
      body: { email: provider.email, password: 'correct horse' },
    });
    expect(login.status).toBe(200);
    const token = (login.body as { token: string }).token;
    expect((await api.call('GET', `/api/ads/${adId}`, { token })).body['data']).toMatchObject({
      phone: '+17025550100',
      isOwner: true,
    });
    // The inbox is not in the backup, but the records of sent mails are. The reactor handles the last code again, and
    // its job sends no mail.
    await eventually(async () =>
      expect(
        await query(
          place.databaseUrl,
          `select name from rm.checkpoints
            where name = 'reactor-account-mails'
              and position::bigint >= (select max(position) from es.events where type = 'EmailVerificationIssued')
              and not exists (select from jobs.unfinished where kind = 'account-mail')`,
        ),
      ).toHaveLength(1),
    );
    expect(
      await query(place.databaseUrl, `select "to" from mail.inbox where "to" in ($1, $2)`, [
        unverified.email,
        provider.email,
      ]),
    ).toEqual([]);
    // The session that requested the code is not in the backup. A new login may use the code, too.
    const session = await api.call('POST', '/api/auth/login', {
      body: { email: unverified.email, password: PASSWORD },
    });
    const verified = await api.call('POST', '/api/auth/verify-email', {
      token: session.body['token'] as string,
      body: { email: unverified.email, code: unverified.verificationCode },
    });
    expect(verified.status).toBe(200);
  });

  test('can be resumed after kill -9 at any time, and blocks all other use until then', async () => {
    const env = envOf(place);
    const eventCounts: number[] = [];
    const isMarked = async () =>
      (
        await query<{ found: boolean }>(
          place.databaseUrl,
          `select to_regclass('public.restore_under_way') is not null as found`,
        )
      )[0]?.found === true;
    const countEvents = async () => (await query(place.databaseUrl, 'select from es.events')).length;
    for (const isReady of [
      isMarked,
      async () => (await isMarked()) && (await readdir(path.join(place.dataDir, 'blobs/photos'))).length > 3,
      async () => (await isMarked()) && (await countEvents()) > 30,
    ]) {
      const interrupted = tools.start('restore', ['--from', busyBackup], env);
      await eventually(async () => expect(await isReady()).toBe(true), { interval_ms: 5 });
      interrupted.kill('SIGKILL');
      expect((await interrupted.ended).code).toBeNull();
      eventCounts.push(await countEvents());
    }
    expect(eventCounts[0]).toBe(0);
    expect(eventCounts[2]).toBeGreaterThan(30);
    expect(eventCounts[2]).toBeLessThan((await manifestOf(busyBackup)).events.count);

    await expect(startTestProduct({ isDemo: true }, place)).rejects.toThrow(
      'A backup is being restored into this database',
    );
    const other = await tools.run('restore', ['--from', quietBackup], { ...env, ...(await secretsEnv()) });
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('The restore of another backup was interrupted here.');
    const half = await tools.run('backup', ['--to', path.join(folder, 'half')], env);
    expect(half.stderr).toContain('only partly restored');

    const finished = await tools.run('restore', ['--from', busyBackup], env);
    expect(finished).toMatchObject({ code: 0 });
    const { count } = (await manifestOf(busyBackup)).events;
    expect((await readContents(place.databaseUrl)).events).toEqual(contents.events.slice(0, count));
    await start();
  });

  test('is rejected while services run and changes nothing', async () => {
    const running = await tools.run('restore', ['--from', busyBackup], envOf(source));
    expect(running.code).toBe(1);
    expect(running.stderr).toContain('Services of the product are using this database');
    expect(differencesOf(await readContents(source.databaseUrl), contents)).toEqual({});
  });

  test('is rejected without the correct secrets', async () => {
    const noSecrets = await tools.run('restore', ['--from', quietBackup], envOf(place));
    expect(noSecrets.code).toBe(1);
    expect(noSecrets.stderr).toContain('This backup does not contain the secrets');
    await loadSecrets(place.dataDir);
    const foreignSecrets = await tools.run('restore', ['--from', busyBackup], envOf(place));
    expect(foreignSecrets.code).toBe(1);
    expect(foreignSecrets.stderr).toContain('contains the secrets of another installation');
    expect(await query(place.databaseUrl, 'select from es.events')).toEqual([]);
  });

  test('restores a backup of an earlier release only with --unencrypted', async () => {
    const rejected = await tools.run('restore', ['--from', openedBusyBackup], envOf(place));
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('is not encrypted');
    expect(await readdir(place.dataDir)).toEqual([]);
    const accepted = await tools.run('restore', ['--from', openedBusyBackup, '--unencrypted'], envOf(place));
    expect(accepted).toMatchObject({ code: 0 });
    const { count } = (await manifestOf(busyBackup)).events;
    expect((await readContents(place.databaseUrl)).events).toEqual(contents.events.slice(0, count));
    expect(await loadSecrets(place.dataDir)).toEqual(await loadSecrets(source.dataDir));
  });

  const firstPicture = 'blobs/0/1.age';
  test.each([
    [
      'an event file with a changed byte',
      async (backup: string) => changeByte(path.join(backup, 'events.ndjson.gz.age')),
    ],
    [
      'a table with a changed byte',
      async (backup: string) => changeByte(path.join(backup, 'tables/auth.data_keys.ndjson.gz.age')),
    ],
    ['a picture with a changed byte', async (backup: string) => changeByte(path.join(backup, firstPicture))],
    ['a picture with an extra byte', async (backup: string) => appendFile(path.join(backup, firstPicture), 'x')],
    ['a truncated picture', async (backup: string) => truncate(path.join(backup, firstPicture), 300)],
    ['two exchanged pictures', async (backup: string) => exchange(backup, firstPicture, 'blobs/0/2.age')],
    [
      'two exchanged tables',
      async (backup: string) =>
        exchange(backup, 'tables/auth.data_keys.ndjson.gz.age', 'tables/auth.key_generations.ndjson.gz.age'),
    ],
    [
      'the events of another backup',
      async (backup: string) => replaceBy(path.join(quietBackup, 'events.ndjson.gz.age'), backup),
    ],
    [
      'the manifest of another backup',
      async (backup: string) => {
        await replaceBy(path.join(quietBackup, 'manifest.json.age'), backup);
        await replaceBy(path.join(quietBackup, 'manifest.hmac'), backup);
      },
    ],
    ['a missing picture', async (backup: string) => rm(path.join(backup, firstPicture))],
    ['a missing index', async (backup: string) => rm(path.join(backup, 'blobs.ndjson.gz.age'))],
    ['a manifest with a changed byte', async (backup: string) => changeByte(path.join(backup, 'manifest.json.age'))],
    ['a truncated manifest', async (backup: string) => truncate(path.join(backup, 'manifest.json.age'), 300)],
    ['a missing manifest', async (backup: string) => rm(path.join(backup, 'manifest.json.age'))],
    ['a missing code of the manifest', async (backup: string) => rm(path.join(backup, 'manifest.hmac'))],
    [
      // A person who knows the public part of the key can encrypt another manifest, but not authenticate it.
      'a manifest that another person encrypted',
      async (backup: string) => {
        const file = path.join(backup, 'manifest.json.age');
        const manifest = await decryptFile(file, tools.backupKeyFile);
        const [, recipient = ''] = /public key: (age1\w+)/u.exec(await readFile(tools.backupKeyFile, 'utf8')) ?? [];
        const encrypter = new Encrypter();
        encrypter.addRecipient(recipient);
        await writeFile(
          file,
          await encrypter.encrypt(manifest.toString('utf8').replace(/"count": \d+/u, '"count": 1')),
        );
      },
    ],
    ['a wrong number of events', async (backup: string) => editManifest(backup, /"count": \d+/u, '"count": 1')],
    ['a file that is not listed', async (backup: string) => editManifest(backup, '"events.ndjson.gz.age"', '"x"')],
    ['a newer format', async (backup: string) => editManifest(backup, '"format": 2', '"format": 3')],
    ['an older format', async (backup: string) => editManifest(backup, '"format": 2', '"format": 1')],
  ])('rejects %s before it writes anything', async (_what, damage) => {
    await expectRejected(
      damage,
      /is missing|is damaged|is no backup|newer version|does not list|differs from the manifest|was changed/u,
    );
  });

  test('rejects a backup without its key and with another key before it writes anything', async () => {
    const otherKey = path.join(folder, 'other-key.txt');
    await expectRejected(async () => undefined, /key of the backups is not in .*other-key/u, otherKey);
    await writeBackupKey(otherKey);
    await expectRejected(async () => undefined, /has another key than .*other-key/u, otherKey);
    await writeFile(otherKey, 'age1nothing');
    await expectRejected(async () => undefined, /contains no backup key/u, otherKey);
  });

  async function expectRejected(
    damage: (backup: string) => Promise<void>,
    message: RegExp,
    keyFile = tools.backupKeyFile,
  ): Promise<void> {
    const damaged = path.join(folder, 'spoiled');
    await cp(busyBackup, damaged, { recursive: true });
    try {
      await damage(damaged);
      const rejected = await tools.run('restore', ['--from', damaged], { ...envOf(place), BACKUP_KEY_FILE: keyFile });
      expect(rejected.code).toBe(1);
      expect(rejected.stderr).toMatch(message);
      expect(
        await query(
          place.databaseUrl,
          `select table_name
             from information_schema.tables
            where table_schema not in ('pg_catalog', 'information_schema')`,
        ),
      ).toEqual([]);
      expect(await readdir(place.dataDir)).toEqual([]);
    } finally {
      await rm(damaged, { recursive: true, force: true });
    }
  }
});

async function changeByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

async function exchange(backup: string, one: string, other: string): Promise<void> {
  const [first, second] = [path.join(backup, one), path.join(backup, other)];
  await rename(first, `${first}.moved`);
  await rename(second, first);
  await rename(`${first}.moved`, second);
}

const replaceBy = (file: string, backup: string) => cp(file, path.join(backup, path.basename(file)));

/** Changes the manifest as the owner of the key could do, so that the other checks of a restore are tested. */
async function editManifest(backup: string, from: string | RegExp, to: string): Promise<void> {
  const key = await readBackupKey(tools.backupKeyFile);
  if (!key) throw new Error('the key of the backups is missing');
  const file = path.join(backup, 'manifest.json.age');
  const text = (await decryptFile(file, tools.backupKeyFile)).toString('utf8');
  expect(text.replace(from, to)).not.toBe(text);
  await writeFile(file, await buffer(key.encrypt(Readable.from([Buffer.from(text.replace(from, to))]))));
  await writeFile(path.join(backup, 'manifest.hmac'), key.authenticate(await readFile(file)));
}
