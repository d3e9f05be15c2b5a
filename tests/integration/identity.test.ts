import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { decideIdentityCheck, account, identity, type BlobStore } from '@alpenglow/domain';
import { createFileBlobStore, sweepIdentityChecks, type CommandHandler } from '@alpenglow/infra';
import { Pool } from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Answer, type Person } from '../support/api.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { BY_TEST, openRecording, type Recording } from '../support/recording.ts';
import { watchShown } from '../support/shown-elsewhere.ts';
import { blobFiles } from '../support/uploads.ts';

/** A provider asks to be verified: evidence in, decision, evidence destroyed, decision kept (design, trust and privacy). */
const shown = watchShown('identity.test.ts');
let product: TestProduct;
let api: ApiClient;
let admin: Person;
let pool: Pool;
let recording: Recording;
let blobs: BlobStore;

beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
  admin = await api.signUp('client', { email: 'admin@example.com' });
  pool = new Pool({ connectionString: product.databaseUrl, max: 1 });
  recording = await openRecording(product);
  blobs = await createFileBlobStore({ root: path.join(product.dataDir, 'blobs') });
});
afterAll(async () => {
  shown.stop();
  await recording?.close();
  await pool?.end();
  await product?.stop();
});

const picture = () =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
    .withExif({ IFD0: { Artist: 'Somebody' } })
    .png()
    .toBuffer();

async function handIn(
  token: string,
  files: readonly Buffer[],
): Promise<{ readonly status: number; readonly body: Answer['body']; readonly position: string }> {
  const form = new FormData();
  for (const [index, bytes] of files.entries())
    form.append('files', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), `passport-${index}.png`);
  const response = await fetch(`${product.url}/api/account/identity`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return {
    status: response.status,
    body: (await response.json()) as Answer['body'],
    position: response.headers.get('x-position') ?? '',
  };
}
const standing = async (token: string) => (await api.call('GET', '/api/account/identity', { token })).body['data'];
const decide = (id: string, accept: boolean) =>
  api.call('POST', `/api/admin/identity/${id}/decide`, {
    token: admin.token,
    body: { accept, reason: 'Passport and face' },
  });
const look = (id: string, number = 1, token = admin.token) =>
  fetch(`${product.url}/api/admin/identity/${id}/files/${number}`, { headers: { authorization: `Bearer ${token}` } });
const listed = async (position: string) =>
  (await api.call('GET', '/api/admin/identity', { token: admin.token, headers: { 'x-wait-position': position } })).body[
    'data'
  ] as { accountId: string }[];

describe('a request', () => {
  test('is looked at, accepted, and its evidence destroyed', async () => {
    const provider = await api.signUp('provider');
    const { id } = provider.user;
    expect(await standing(provider.token)).toBeNull();
    const asked = await handIn(provider.token, [await picture(), await picture()]);
    expect(asked).toMatchObject({ status: 201, body: { data: { status: 'open', reason: null } } });
    expect(await handIn(provider.token, [await picture()])).toMatchObject({
      status: 409,
      body: { code: 'IDENTITY_CHECK_OPEN' },
    });
    expect((await listed(asked.position)).find(({ accountId }) => accountId === id)).toMatchObject({
      status: 'open',
      files: 2,
      email: provider.email,
    });

    expect((await look(id, 1, provider.token)).status).toBe(403);
    const seen = await look(id, 2);
    expect([seen.status, seen.headers.get('content-type'), seen.headers.get('cache-control')]).toEqual([
      200,
      'image/jpeg',
      'no-store',
    ]);
    const { format, width, exif } = await sharp(Buffer.from(await seen.arrayBuffer())).metadata();
    expect({ format, width, exif }).toEqual({ format: 'jpeg', width: 300, exif: undefined });
    const { rows } = await pool.query(
      'select what, subject_id from audit.staff_reads where subject_id = $1 order by id',
      [id],
    );
    // Nobody else was in the list.
    expect(rows).toEqual(['listIdentityChecks', 'getIdentityFile'].map((what) => ({ what, subject_id: id })));

    const decided = await decide(id, true);
    expect(decided).toMatchObject({ status: 200, body: { message: 'User verified' } });
    expect((await look(id, 1)).status).toBe(404);
    expect(await standing(provider.token)).toMatchObject({ status: 'accepted', reason: 'Passport and face' });
    expect((await api.call('GET', '/api/auth/profile', { token: provider.token })).body['user']).toMatchObject({
      verified: true,
    });
    expect(
      (await listed(decided.headers.get('x-position') ?? '')).find(({ accountId }) => accountId === id),
    ).toMatchObject({ status: 'accepted', files: 0 });
    expect(await handIn(provider.token, [await picture()])).toMatchObject({
      status: 409,
      body: { code: 'IDENTITY_VERIFIED' },
    });
    // A call that broke off can be made again.
    expect((await decide(id, true)).status).toBe(200);
    expect(await decide(id, false)).toMatchObject({ status: 404, body: { code: 'IDENTITY_CHECK_NOT_FOUND' } });
  });
  test('that is refused can be followed by another', async () => {
    const provider = await api.signUp('provider');
    await handIn(provider.token, [await picture()]);
    expect(await decide(provider.user.id, false)).toMatchObject({ status: 200, body: { message: 'Request refused' } });
    expect(await standing(provider.token)).toMatchObject({ status: 'refused' });
    const again = await handIn(provider.token, [await picture()]);
    expect(again.status).toBe(201);

    const page = (path: string) =>
      api.call('GET', `/api/admin/identity${path}`, {
        token: admin.token,
        headers: { 'x-wait-position': again.position },
      });
    const first = await page('?limit=1');
    expect(first.body['data']).toMatchObject([{ accountId: provider.user.id, status: 'open', files: 1 }]);
    const second = await page(`?limit=1&cursor=${String(first.body['nextCursor'])}`);
    expect(second.body['data']).toHaveLength(1);
    expect(second.body['data']).not.toMatchObject([{ accountId: provider.user.id }]);
  });
  test('takes one or two pictures, of providers with a verified address', async () => {
    const provider = await api.signUp('provider');
    expect(await handIn(provider.token, [])).toMatchObject({ status: 400, body: { code: 'NO_PHOTO' } });
    expect(await handIn(provider.token, [Buffer.from('no picture')])).toMatchObject({
      status: 400,
      body: { code: 'NOT_AN_IMAGE' },
    });
    expect(await handIn(provider.token, [await picture(), await picture(), await picture()])).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_IDENTITY_FILES' },
    });
    expect(await handIn(provider.token, [Buffer.alloc(10_000_001)])).toMatchObject({
      status: 413,
      body: { code: 'IDENTITY_FILE_TOO_LARGE' },
    });
    expect(await standing(provider.token)).toBeNull();
    expect(await handIn((await api.signUp('client')).token, [await picture()])).toMatchObject({
      status: 403,
      body: { code: 'ONLY_PROVIDERS_VERIFY' },
    });
    expect(await handIn((await api.signUp('provider', { verify: false })).token, [await picture()])).toMatchObject({
      status: 403,
      body: { code: 'VERIFICATION_REQUIRED' },
    });
  });
});

/** The round that finishes what broke off, as the workers do it, by a process that may die on the way. */
const sweep = (dying: { commands?: CommandHandler; blobs?: BlobStore } = {}) =>
  sweepIdentityChecks({ pool, commands: recording.commands, blobs, ...dying });
/** The pictures that lie there of somebody's last request. */
async function evidenceOf(id: string): Promise<readonly string[]> {
  const { state } = await recording.commands.load(identity, id);
  return (await blobFiles(product.dataDir)).filter((file) => file.includes(`${path.sep}${state?.checkId}${path.sep}`));
}
async function historyOf(id: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ type: string }>(
    `select type from es.events where stream in ($1, $2) and type ~ '^(Identity|AccountVerified)' order by position`,
    [`identity-${id}`, `account-${id}`],
  );
  return rows.map(({ type }) => type);
}

test('whoever asked is told by mail that there is a decision, not what or why', async () => {
  const provider = await api.signUp('provider');
  await handIn(provider.token, [await picture()]);
  await decide(provider.user.id, false);
  const mails = async () =>
    (
      await pool.query<{ subject: string; text: string }>(
        `select subject, text from mail.inbox where "to" = $1 and id like 'identity-decided-%'`,
        [provider.email],
      )
    ).rows;
  await expect
    .poll(mails)
    .toEqual([{ subject: 'Your request at Alpenglow', text: expect.stringContaining('/provider-profile') as string }]);
  expect(JSON.stringify(await mails())).not.toMatch(/refus|Passport/u);
});

describe('a decision that breaks off', () => {
  class Died extends Error {}
  const diesAt = (aggregate: { readonly name: string }): CommandHandler => ({
    ...recording.commands,
    handle: (target, ...rest) =>
      target.name === aggregate.name ? Promise.reject(new Died()) : recording.commands.handle(target, ...rest),
  });
  /** Whoever comes next dies at each of the steps in turn, before the work and after it. */
  const deaths = {
    'before the account is verified': () => ({ commands: diesAt(account) }),
    'before the pictures are removed': () => ({ blobs: { ...blobs, remove: () => Promise.reject(new Died()) } }),
    'before it is noted that they are gone': () => ({ commands: diesAt(identity) }),
  };

  /** What the call does first; then its process is gone. */
  async function decideAndDie(isAccepted: boolean): Promise<Person> {
    const provider = await api.signUp('provider');
    const { id } = provider.user;
    await handIn(provider.token, [await picture(), await picture()]);
    const owner = (await recording.commands.load(account, id)).state;
    const { position } = await recording.commands.handle(
      identity,
      id,
      (state) => decideIdentityCheck({ accountId: id, isAccepted, reason: 'Passport and face' }, owner, state),
      BY_TEST,
    );
    expect((await listed(position ?? '')).find(({ accountId }) => accountId === id)).toMatchObject({ files: 2 });
    expect(await evidenceOf(id)).toHaveLength(2);
    return provider;
  }

  test.each(Object.entries(deaths))('and again %s comes to the end of one that did not', async (_when, dying) => {
    const provider = await decideAndDie(true);
    const { id } = provider.user;
    await expect(sweep(dying())).rejects.toMatchObject({ errors: [expect.any(Died)] });
    expect(await historyOf(id)).not.toContain('IdentityEvidenceDestroyed');
    await sweep();
    expect(await evidenceOf(id)).toEqual([]);
    expect(await historyOf(id)).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
      'AccountVerifiedByAdmin',
      'IdentityEvidenceDestroyed',
    ]);
    expect(await standing(provider.token)).toMatchObject({ status: 'accepted' });
    expect((await api.call('GET', '/api/auth/profile', { token: provider.token })).body['user']).toMatchObject({
      verified: true,
    });
    await sweep();
    expect(await historyOf(id)).toHaveLength(4);
  });

  test('verifies nobody who was refused', async () => {
    const provider = await decideAndDie(false);
    await sweep();
    expect(await evidenceOf(provider.user.id)).toEqual([]);
    expect(await historyOf(provider.user.id)).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
      'IdentityEvidenceDestroyed',
    ]);
  });

  test('verifies nobody who has signed up with the address since', async () => {
    const provider = await decideAndDie(true);
    expect(
      (
        await api.call('DELETE', `/api/admin/users/${provider.user.id}`, {
          token: admin.token,
          body: { reason: 'At their wish.' },
        })
      ).status,
    ).toBe(200);
    await api.signUp('provider', { email: provider.email });
    await sweep();
    expect(await evidenceOf(provider.user.id)).toEqual([]);
    expect(await historyOf(provider.user.id)).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
      'IdentityEvidenceDestroyed',
    ]);
  });
});

test('a request of an account that was closed is none of whoever signs up with its address, and its evidence is destroyed', async () => {
  const provider = await api.signUp('provider');
  const { id } = provider.user;
  await handIn(provider.token, [await picture()]);
  const closed = await api.call('DELETE', `/api/admin/users/${id}`, {
    token: admin.token,
    body: { reason: 'At their wish.' },
  });
  expect(
    (await listed(closed.headers.get('x-position') ?? '')).filter(({ accountId }) => accountId === id),
    'no longer to be decided',
  ).toEqual([]);
  const newcomer = await api.signUp('provider', { email: provider.email });
  expect(newcomer.user.id).toBe(id);
  expect(await standing(newcomer.token)).toBeNull();
  expect(await decide(id, true)).toMatchObject({ status: 404, body: { code: 'IDENTITY_CHECK_NOT_FOUND' } });
  await expect
    .poll(async () => {
      await sweep();
      return evidenceOf(id);
    })
    .toEqual([]);
  expect((await handIn(newcomer.token, [await picture()])).status).toBe(201);
  await sweep();
  expect(await evidenceOf(id), 'of the newcomer').toHaveLength(1);
});

test('a legal hold keeps every picture, decided about or followed by another, of an account open or closed, until it is lifted', async () => {
  const provider = await api.signUp('provider');
  const { id } = provider.user;
  const hold = (method: 'PUT' | 'DELETE') =>
    api.call(method, `/api/admin/users/${id}/legal-hold`, { token: admin.token, body: { reason: 'A court asks.' } });
  await handIn(provider.token, [await picture(), await picture()]);
  expect((await hold('PUT')).status).toBe(200);
  const first = await evidenceOf(id);

  expect((await decide(id, false)).status).toBe(200);
  expect(await standing(provider.token)).toMatchObject({ status: 'refused' });
  await sweep();
  expect(await evidenceOf(id)).toEqual(first);
  expect((await look(id, 2)).status).toBe(200);

  const again = await handIn(provider.token, [await picture()]);
  await listed(again.position);
  const second = await evidenceOf(id);
  // Old enough to be what an upload that broke off has left.
  const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
  for (const file of [...first, ...second]) await utimes(file, longAgo, longAgo);
  const closed = await api.call('DELETE', `/api/admin/users/${id}`, {
    token: admin.token,
    body: { reason: 'At their wish.' },
  });
  await listed(closed.headers.get('x-position') ?? '');
  await sweep();
  expect(await blobFiles(product.dataDir)).toEqual(expect.arrayContaining([...first, ...second]));

  expect((await hold('DELETE')).status).toBe(200);
  await sweep();
  const left = await blobFiles(product.dataDir);
  expect([...first, ...second].filter((file) => left.includes(file))).toEqual([]);
});

test('everything these answers may say was said', () => expect(shown.missing()).toEqual([]));
