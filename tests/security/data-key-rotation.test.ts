import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { preservedBlobKey } from '@alpenglow/domain';
import {
  createDataKeys,
  createFileBlobStore,
  createSealedBlobs,
  EVIDENCE_KEY_ID,
  findSecrets,
  secretIdsOf,
  type Pool,
} from '@alpenglow/infra';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { main as runEvidence } from '../../launcher/tools/evidence.ts';
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { createTestPool } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import {
  createEmptyLocation,
  createPreparedLocation,
  startTestProduct,
  type DataLocation,
  type TemporaryDataLocation,
  type TestProduct,
} from '../support/product.ts';
import { buildTools, type Tools } from '../support/tools.ts';
import { signedUrl, upload } from '../support/uploads.ts';
import { whenAvailable } from '../support/when-available.ts';

/**
 * Replaces SECRET_DATA_KEYS while the product serves requests (decision 0063). The tests run in order and are the steps
 * of one rotation, as docs/operations.md describes them.
 */

const KEY_COUNT = 1_000;
const nameOf = (number: number) => `key-${String(number).padStart(5, '0')}`;
/** A key that is destroyed while the tool is about to wrap it again. */
const DESTROYED_KEY = nameOf(800);
/** A key whose row is locked, so that the tool waits in the middle of its work. */
const LOCKED_KEY = nameOf(500);

const next = randomBytes(32).toString('hex');
let previous: string;
let place: TemporaryDataLocation;
let folder: string;
let pool: Pool;
let tools: Tools;
let product: TestProduct | null = null;
let api: ApiClient;
let admin: Person;
let provider: Person;
let photoId: string;
const evidenceId = randomUUID();
let evidence: Buffer;
/** Backups from before the rotation and from the middle of it. */
let earlierBackup: string;
let mixedBackup: string;

/** Sets SECRET_DATA_KEYS of the installation, as its operator does in `secrets.json`. */
async function setSecrets(...secrets: string[]): Promise<void> {
  const file = path.join(place.dataDir, 'secrets.json');
  await writeFile(file, JSON.stringify({ ...(await findSecrets(place.dataDir)), dataKeys: secrets.join(',') }));
}
async function start(...secrets: string[]): Promise<void> {
  await product?.stop();
  product = null;
  await setSecrets(...secrets);
  product = await startTestProduct({}, place);
  api = apiClient(product.url);
}
const url = () => product?.url ?? '';
const envOf = ({ databaseUrl, dataDir }: DataLocation) => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
const runTool = (command: string) => tools.run('secrets', [command], envOf(place));

const idOf = (secret: string) => secretIdsOf(secret)[0] ?? '';
async function countKeys(secret: string): Promise<number> {
  const { rows } = await pool.query<{ keys: number }>(
    'select count(*)::integer as keys from auth.data_keys where secret_id = $1 and wrapped_key is not null',
    [idOf(secret)],
  );
  return rows[0]?.keys ?? 0;
}
const isToolWaiting = async () =>
  (
    await pool.query(
      `select from pg_stat_activity
        where application_name = 'alpenglow-tool' and wait_event_type = 'Lock' and datname = current_database()`,
    )
  ).rowCount === 1;

/** Locks a row in a transaction. `end` commits the transaction. */
async function lockKey(statement: string): Promise<{ end(): Promise<void> }> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(statement);
  return {
    async end() {
      await client.query('commit');
      client.release();
    },
  };
}

async function logIn({ email }: Person): Promise<number> {
  return (await api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } })).status;
}
async function uploadPhoto({ token }: Person): Promise<string> {
  const { status, body } = await upload(url(), 'photos', [{ bytes: await pictures.jpeg(400, 300) }], token);
  expect(status).toBe(201);
  return (body['media'] as { id: string }[])[0]?.id ?? '';
}
async function requestIdentityCheck({ token }: Person): Promise<number> {
  const form = new FormData();
  const bytes = new Uint8Array(await pictures.jpeg(300, 200));
  form.append('files', new Blob([bytes], { type: 'image/jpeg' }), 'passport.jpg');
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${url()}/api/account/identity`, { method: 'POST', headers, body: form })).status;
}
const fetchIdentityPicture = ({ user }: Person) =>
  fetch(`${url()}/api/admin/identity/${user.id}/files/1`, { headers: { authorization: `Bearer ${admin.token}` } });

/** Checks that the personal data, pictures and evidence of the installation can be read. */
async function expectReadable(people: readonly Person[]): Promise<void> {
  for (const person of people) {
    expect(await logIn(person), person.email).toBe(200);
    const { body } = await api.call('GET', '/api/auth/profile', { token: person.token });
    expect(body['user']).toMatchObject({ email: person.email });
  }
  const picture = await fetchIdentityPicture(provider);
  expect(picture.status).toBe(200);
  expect(picture.headers.get('content-type')).toBe('image/jpeg');
  expect((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).width).toBe(300);
  const photo = await signedUrl(url(), `/uploads/photos/${photoId}/640.jpg`, provider.token);
  expect((await whenAvailable(() => fetch(`${url()}${photo}`))).status).toBe(200);
  const file = path.join(folder, `${randomUUID()}.jpg`);
  const options = { env: envOf(place), rootDir: place.dataDir, ownsDataDir: false };
  expect(await runEvidence(['--media', evidenceId, '--to', file], options)).toBe(0);
  expect((await readFile(file)).equals(evidence)).toBe(true);
}

/**
 * Signs up, logs in and uploads continuously, until `stop` is called. `stop` returns the people who have signed up, and
 * rejects if a request failed.
 */
function startLoad() {
  const stopped = new AbortController();
  const people: Person[] = [];
  const run = async (work: () => Promise<void>) => {
    while (!stopped.signal.aborted) await work();
  };
  onTestFinished(() => stopped.abort());
  const running = Promise.all([
    run(async () => void people.push(await api.signUp('client'))),
    run(async () => {
      const person = await api.signUp('provider');
      expect(await requestIdentityCheck(person)).toBe(201);
      people.push(person);
    }),
    run(async () => expect(await logIn(provider)).toBe(200)),
    run(async () => void (await uploadPhoto(provider))),
  ]);
  return {
    people,
    async stop(): Promise<readonly Person[]> {
      stopped.abort();
      await running;
      return people;
    },
  };
}

beforeAll(async () => {
  tools = await buildTools();
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-rotation-'));
  place = await createPreparedLocation();
  pool = createTestPool(place.databaseUrl);
  previous = (await findSecrets(place.dataDir))?.dataKeys ?? '';
  await start(previous);
  admin = await api.signUp('client', { email: 'admin@example.com' });
  provider = await api.signUp('provider');
  photoId = await uploadPhoto(provider);
  expect(await requestIdentityCheck(provider)).toBe(201);

  const dataKeys = createDataKeys(pool, previous);
  const blobs = await createFileBlobStore({ root: path.join(place.dataDir, 'blobs') });
  evidence = await pictures.jpeg(200, 200);
  await createSealedBlobs({ blobs, dataKeys }).put(preservedBlobKey(evidenceId), EVIDENCE_KEY_ID, evidence);
  await Promise.all(Array.from({ length: KEY_COUNT }, (_, number) => dataKeys.obtain(nameOf(number))));
  await dataKeys.obtain('erased');
  await dataKeys.retire('erased');
  await dataKeys.destroyRetired('erased');
  // Earlier releases stored no id of the secret.
  await pool.query(
    `update auth.data_keys set secret_id = null
      where starts_with(account_id, $1) or starts_with(account_id, 'key-009')`,
    [provider.user.id],
  );
  earlierBackup = path.join(folder, 'earlier');
  expect(await tools.run('backup', ['--to', earlierBackup], envOf(place))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await product?.stop();
  await pool?.end();
  await place?.remove();
  await tools?.remove();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('a process does not start without a secret that encrypts stored data', async () => {
  await expect(start(next)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining(`SECRET_DATA_KEYS: lacks the secret with the id ${idOf(previous)}`) as string,
  });
  await start(previous, next);
  await expectReadable([admin, provider]);
});

test('keys are not encrypted with a new secret before the product has started with it', async () => {
  await setSecrets(next, previous);
  const { code, stderr } = await runTool('rewrap');
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Restart every process') as string,
  });
  expect(await countKeys(next)).toBe(0);
});

test('all keys are encrypted with the new secret under load, also after the tool was killed', async () => {
  await start(next, previous);
  const load = startLoad();
  // The tool has encrypted a part of the keys, and waits for a locked row, when it is killed.
  const lock = await lockKey(`select from auth.data_keys where starts_with(account_id, '${LOCKED_KEY}') for update`);
  const killed = tools.start('secrets', ['rewrap'], envOf(place));
  await eventually(async () => expect(await isToolWaiting()).toBe(true));
  expect(await countKeys(next)).toBeGreaterThan(0);
  expect(await countKeys(previous)).toBeGreaterThan(0);
  killed.kill('SIGKILL');
  expect((await killed.ended).code).toBeNull();
  await lock.end();

  const status = await runTool('status');
  expect(status.stdout).toMatch(new RegExp(`^${idOf(next)}\\t\\d+ keys\\tcurrent$`, 'mu'));
  expect(status.stdout).toMatch(new RegExp(`^${idOf(previous)}\\t\\d+ keys\\tneeded until`, 'mu'));
  await expectReadable([admin, provider]);
  mixedBackup = path.join(folder, 'mixed');
  expect(await tools.run('backup', ['--to', mixedBackup], envOf(place))).toMatchObject({ code: 0 });

  // A key is destroyed while the tool waits for its row.
  const destruction = await lockKey(
    `update auth.data_keys set wrapped_key = null where starts_with(account_id, '${DESTROYED_KEY}')`,
  );
  const finished = tools.start('secrets', ['rewrap'], envOf(place));
  await eventually(async () => expect(await isToolWaiting()).toBe(true));
  await eventually(() => expect(load.people.length).toBeGreaterThan(2));
  await destruction.end();
  const { code, stdout, stderr } = await finished.ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain(`The other secrets (${idOf(previous)}) can now be removed from SECRET_DATA_KEYS`);
  const people = await load.stop();

  expect(await countKeys(previous)).toBe(0);
  const { rows } = await pool.query(
    `select split_part(account_id, '~', 1) as account from auth.data_keys where wrapped_key is null order by 1`,
  );
  expect(rows).toEqual([{ account: 'erased' }, { account: DESTROYED_KEY }]);
  await start(next);
  await expectReadable([admin, provider, ...people]);
});

test('only the new secret encrypts keys afterwards', async () => {
  expect((await runTool('status')).stdout).toMatch(
    new RegExp(`^${idOf(previous)}\\t0 keys\\treplaced on [\\d-]+, can be removed$`, 'mu'),
  );
  const { rows } = await pool.query(
    'select account_id from auth.data_keys where secret_id is distinct from $1 and wrapped_key is not null',
    [idOf(next)],
  );
  expect(rows).toEqual([]);
  const outdated = createDataKeys(pool, `${previous},${next}`);
  await expect(outdated.obtain('late')).rejects.toThrow('A rotation has replaced the first secret');
  const locked = await createDataKeys(pool, next).obtain(LOCKED_KEY);
  expect((await outdated.find([locked.id])).get(locked.id)).toEqual(locked.key);

  await expect(start(previous, next)).rejects.toThrow(
    `SECRET_DATA_KEYS: begins with the secret with the id ${idOf(previous)}, which was replaced on`,
  );
  await expect(start(previous)).rejects.toThrow(`SECRET_DATA_KEYS: lacks the secret with the id ${idOf(next)}`);
  await start(next);
  await expectReadable([admin, provider]);
});

test('backups from before and during the rotation need the earlier secret', async () => {
  const target = await createEmptyLocation();
  const { accountIds, verificationCodes } = (await findSecrets(place.dataDir)) ?? {};
  const restore = (backup: string, ...secrets: string[]) =>
    tools.run('restore', ['--from', backup], {
      ...envOf(target),
      SECRET_ACCOUNT_IDS: accountIds ?? '',
      SECRET_DATA_KEYS: secrets.join(','),
      SECRET_VERIFICATION_CODES: verificationCodes ?? '',
    });
  try {
    const earlier = await restore(earlierBackup, next);
    expect(earlier.code).toBe(1);
    expect(earlier.stderr).toMatch(/If a secret was replaced since .* Nothing was restored\./u);
    const mixed = await restore(mixedBackup, next);
    expect(mixed.code).toBe(1);
    expect(mixed.stderr).toContain(`needs another secret for data keys (id: ${idOf(previous)}, unknown)`);
    expect(await restore(mixedBackup, next, previous)).toMatchObject({ code: 0 });

    const secrets = { accountIds: accountIds ?? '', verificationCodes: verificationCodes ?? '' };
    await expect(startTestProduct({ secrets: { ...secrets, dataKeys: next } }, target)).rejects.toThrow(
      `SECRET_DATA_KEYS: lacks the secret with the id ${idOf(previous)}`,
    );
    const restored = await startTestProduct({ secrets: { ...secrets, dataKeys: `${next},${previous}` } }, target);
    try {
      const { email } = provider;
      const login = await apiClient(restored.url).call('POST', '/api/auth/login', {
        body: { email, password: PASSWORD },
      });
      expect(login.status).toBe(200);
    } finally {
      await restored.stop();
    }
  } finally {
    await target.remove();
  }
});
