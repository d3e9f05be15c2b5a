import { utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { account, identity, type BlobStore } from '@alpenglow/domain';
import { decideIdentityCheck } from '@alpenglow/domain/deciders';
import {
  createErrorHandler,
  createFileBlobStore,
  createLogger,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import express from 'express';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { identityRoutes } from '../../command-api/src/routes/identity.ts';
import { sweepIdentityChecks } from '../../workers/src/sweep-identity-checks.ts';
import { assignRequestId } from '../support/assign-request-id.ts';
import { after, type ApiResponse, type Person } from '../support/api.ts';
import { decoder } from '../support/decoder.ts';
import { eventually } from '../support/eventually.ts';
import { holdPeriodicTask } from '../support/hold-periodic-task.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { watchResponseProperties } from '../support/response-coverage.ts';
import { blobFiles } from '../support/uploads.ts';
import { interceptWrites } from '../support/intercept-writes.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

// Tests the identity check of a provider: upload of evidence, decision and destruction of the evidence. The
// decision stays stored.
const shown = watchResponseProperties('identity.test.ts');
const product = testProduct();
const api = testApi(product);
let admin: Person;
const pool = testPool(product, 1);
const recording = testRecording(product);
let blobs: BlobStore;
let permitSweep: () => Promise<void>;

beforeAll(async () => {
  // The tests interrupt the sweep at different steps, so the product must not sweep in between.
  permitSweep = await holdPeriodicTask(product, 'sweep-expired');
  admin = await api.signUp('client', { email: 'admin@example.com' });
  blobs = await createFileBlobStore({ root: path.join(product.dataDir, 'blobs') });
});
afterAll(async () => {
  shown.stop();
  await permitSweep?.();
});

const createPicture = () =>
  sharp({ create: { width: 300, height: 200, channels: 3, background: 'teal' } })
    .withExif({ IFD0: { Artist: 'Photographer' } })
    .png()
    .toBuffer();

async function requestCheck(
  token: string,
  files: readonly Buffer[],
): Promise<{ readonly status: number; readonly body: ApiResponse['body']; readonly position: string }> {
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
    body: (await response.json()) as ApiResponse['body'],
    position: response.headers.get('x-position') ?? '',
  };
}
const getCheck = async (token: string) => (await api.call('GET', '/api/account/identity', { token })).body['data'];
const decide = (id: string, accept: boolean) =>
  api.call('POST', `/api/admin/identity/${id}/decide`, {
    token: admin.token,
    body: { accept, reason: 'Passport and face' },
  });
const fetchFile = (id: string, number = 1, token = admin.token) =>
  fetch(`${product.url}/api/admin/identity/${id}/files/${number}`, { headers: { authorization: `Bearer ${token}` } });
const listChecks = async (position: string) =>
  (await api.call('GET', '/api/admin/identity', { token: admin.token, headers: after(position) })).body['data'] as {
    accountId: string;
  }[];

describe('an identity check', () => {
  test('can be accepted by an admin, which destroys its evidence', async () => {
    const provider = await api.signUp('provider');
    const { id } = provider.user;
    expect(await getCheck(provider.token)).toBeNull();
    const requested = await requestCheck(provider.token, [await createPicture(), await createPicture()]);
    expect(requested).toMatchObject({ status: 201, body: { data: { status: 'open', reason: null } } });
    expect(await requestCheck(provider.token, [await createPicture()])).toMatchObject({
      status: 409,
      body: { code: 'IDENTITY_CHECK_OPEN' },
    });
    expect((await listChecks(requested.position)).find(({ accountId }) => accountId === id)).toMatchObject({
      status: 'open',
      files: 2,
      email: provider.email,
    });

    expect((await fetchFile(id, 1, provider.token)).status).toBe(403);
    const file = await fetchFile(id, 2);
    expect([file.status, file.headers.get('content-type'), file.headers.get('cache-control')]).toEqual([
      200,
      'image/jpeg',
      'no-store',
    ]);
    const { format, width, exif } = await sharp(Buffer.from(await file.arrayBuffer())).metadata();
    expect({ format, width, exif }).toEqual({ format: 'jpeg', width: 300, exif: undefined });
    const { rows } = await pool.query(
      'select what, subject_id from audit.staff_reads where subject_id = $1 order by id',
      [id],
    );
    // The list contains only this person, so the read of the list is recorded with the id of this person.
    expect(rows).toEqual(['listIdentityChecks', 'getIdentityFile'].map((what) => ({ what, subject_id: id })));

    const decided = await decide(id, true);
    expect(decided).toMatchObject({ status: 200, body: { message: 'User verified' } });
    expect((await fetchFile(id, 1)).status).toBe(404);
    expect(await getCheck(provider.token)).toMatchObject({ status: 'accepted', reason: 'Passport and face' });
    expect((await api.call('GET', '/api/auth/profile', { token: provider.token })).body['user']).toMatchObject({
      verified: true,
    });
    expect(
      (await listChecks(decided.headers.get('x-position') ?? '')).find(({ accountId }) => accountId === id),
    ).toMatchObject({ status: 'accepted', files: 0 });
    expect(await requestCheck(provider.token, [await createPicture()])).toMatchObject({
      status: 409,
      body: { code: 'IDENTITY_VERIFIED' },
    });
    // A client may repeat a request after an interruption, so the product accepts the same decision again.
    expect((await decide(id, true)).status).toBe(200);
    expect(await decide(id, false)).toMatchObject({ status: 404, body: { code: 'IDENTITY_CHECK_NOT_FOUND' } });
  });
  test('can be requested again after a negative decision', async () => {
    const provider = await api.signUp('provider');
    await requestCheck(provider.token, [await createPicture()]);
    expect(await decide(provider.user.id, false)).toMatchObject({ status: 200, body: { message: 'Request refused' } });
    expect(await getCheck(provider.token)).toMatchObject({ status: 'refused' });
    const again = await requestCheck(provider.token, [await createPicture()]);
    expect(again.status).toBe(201);

    const listPage = (path: string) =>
      api.call('GET', `/api/admin/identity${path}`, {
        token: admin.token,
        headers: after(again.position),
      });
    const first = await listPage('?limit=1');
    expect(first.body['data']).toMatchObject([{ accountId: provider.user.id, status: 'open', files: 1 }]);
    const second = await listPage(`?limit=1&cursor=${String(first.body['nextCursor'])}`);
    expect(second.body['data']).toHaveLength(1);
    expect(second.body['data']).not.toMatchObject([{ accountId: provider.user.id }]);
  });
  test('requires one or two pictures', async () => {
    const provider = await api.signUp('provider');
    expect(await requestCheck(provider.token, [])).toMatchObject({ status: 400, body: { code: 'NO_PHOTO' } });
    expect(await requestCheck(provider.token, [Buffer.from('not a picture')])).toMatchObject({
      status: 400,
      body: { code: 'NOT_AN_IMAGE' },
    });
    expect(
      await requestCheck(provider.token, [await createPicture(), await createPicture(), await createPicture()]),
    ).toMatchObject({
      status: 400,
      body: { code: 'TOO_MANY_IDENTITY_FILES' },
    });
    expect(await requestCheck(provider.token, [Buffer.alloc(10_000_001)])).toMatchObject({
      status: 413,
      body: { code: 'IDENTITY_FILE_TOO_LARGE' },
    });
    expect(await getCheck(provider.token)).toBeNull();
  });

  test('ends with a new age, and can then be requested again', async () => {
    const provider = await api.signUp('provider');
    const { token } = provider;
    await requestCheck(token, [await createPicture()]);
    await decide(provider.user.id, true);
    expect(await getCheck(token)).toMatchObject({ status: 'accepted' });
    const { body } = await api.call('GET', '/api/auth/profile', { token });
    const { displayName, age } = body['user'] as { readonly displayName: string; readonly age: number };
    expect((await api.call('PUT', '/api/auth/profile', { token, body: { displayName, age } })).status).toBe(200);
    expect(await getCheck(token)).toMatchObject({ status: 'accepted' });

    const changed = await api.call('PUT', '/api/auth/profile', { token, body: { displayName, age: age + 1 } });
    expect(changed.body['user']).toMatchObject({ verified: false });
    expect(await getCheck(token)).toBeNull();
    expect(await requestCheck(token, [await createPicture()])).toMatchObject({
      status: 201,
      body: { data: { status: 'open' } },
    });
    await decide(provider.user.id, true);
    expect(await getCheck(token)).toMatchObject({ status: 'accepted' });
  });
});

/**
 * Runs the sweep, a background task that completes interrupted decisions about identity checks. `overrides` can make
 * the sweep crash.
 */
const sweep = (overrides: { commands?: CommandHandler; blobs?: BlobStore } = {}, { signal } = new AbortController()) =>
  sweepIdentityChecks({ pool, commands: recording.commands, blobs, log: createLogger('silent'), ...overrides }, signal);
/** Lists the stored pictures of the last identity check of an account. */
async function listEvidence(id: string): Promise<readonly string[]> {
  const { state } = await recording.commands.load(identity, id);
  return (await blobFiles(product.dataDir)).filter((file) => file.includes(`${path.sep}${state?.checkId}${path.sep}`));
}
async function listEventTypes(id: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ type: string }>(
    `select type from es.events where stream in ($1, $2) and type ~ '^(Identity|AccountVerified)' order by position`,
    [`identity-${id}`, `account-${id}`],
  );
  return rows.map(({ type }) => type);
}

test('the mail about a decision contains neither the outcome nor the reason', async () => {
  const provider = await api.signUp('provider');
  await requestCheck(provider.token, [await createPicture()]);
  await decide(provider.user.id, false);
  const readMails = async () =>
    (
      await pool.query<{ subject: string; text: string }>(
        `select subject, text from mail.inbox where "to" = $1 and id like 'identity-decided-%'`,
        [provider.email],
      )
    ).rows;
  await expect
    .poll(readMails)
    .toEqual([{ subject: 'Your request at Alpenglow', text: expect.stringContaining('/provider-profile') as string }]);
  expect(JSON.stringify(await readMails())).not.toMatch(/refus|Passport/u);
});

describe('an interrupted decision', () => {
  class SimulatedCrash extends Error {}
  const crashAt = ({ name }: { readonly name: string }): CommandHandler =>
    interceptWrites(recording.commands, (target) =>
      target === name ? Promise.reject(new SimulatedCrash()) : Promise.resolve(),
    );
  /** Dependencies that make the sweep crash, each at another step of its work. */
  const crashes = {
    'before the account is verified': () => ({ commands: crashAt(account) }),
    'before the pictures are removed': () => ({
      blobs: { ...blobs, remove: () => Promise.reject(new SimulatedCrash()) },
    }),
    'before their removal is recorded': () => ({ commands: crashAt(identity) }),
  };

  /** Records only the first event of a decision, like a process that crashes directly afterwards. */
  async function decideAndCrash(isAccepted: boolean): Promise<Person> {
    const provider = await api.signUp('provider');
    const { id } = provider.user;
    await requestCheck(provider.token, [await createPicture(), await createPicture()]);
    const owner = (await recording.commands.load(account, id)).state;
    await recording.commands.execute(
      identity,
      id,
      decideIdentityCheck,
      { accountId: id, isAccepted, reason: 'Passport and face', owner },
      TEST_ORIGIN,
    );
    // This write had no request, so there is no encrypted position to wait for.
    await eventually(async () =>
      expect((await listChecks('')).find(({ accountId }) => accountId === id)).toMatchObject({
        status: isAccepted ? 'accepted' : 'refused',
        files: 2,
      }),
    );
    expect(await listEvidence(id)).toHaveLength(2);
    return provider;
  }

  test.each(Object.entries(crashes))('is completed after a crash of the sweep %s', async (_when, createCrash) => {
    const provider = await decideAndCrash(true);
    const { id } = provider.user;
    await expect(sweep(createCrash())).rejects.toMatchObject({ errors: [expect.any(SimulatedCrash)] });
    expect(await listEventTypes(id)).not.toContain('IdentityEvidenceDestroyed');
    await sweep();
    expect(await listEvidence(id)).toEqual([]);
    expect(await listEventTypes(id)).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
      'AccountVerifiedByAdmin',
      'IdentityEvidenceDestroyed',
    ]);
    expect(await getCheck(provider.token)).toMatchObject({ status: 'accepted' });
    expect((await api.call('GET', '/api/auth/profile', { token: provider.token })).body['user']).toMatchObject({
      verified: true,
    });
    await sweep();
    expect(await listEventTypes(id)).toHaveLength(4);
  });

  test('is completed although another one fails', async () => {
    const decided: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { id } = (await decideAndCrash(true)).user;
      decided.push(id);
    }
    const [broken, other] = decided.toSorted() as [string, string];
    const failing: CommandHandler = {
      ...recording.commands,
      load: (aggregate, id) =>
        id === broken ? Promise.reject(new Error('damaged')) : recording.commands.load(aggregate, id),
    };
    await expect(sweep({ commands: failing })).rejects.toThrow('damaged');
    expect(await listEvidence(broken)).toHaveLength(2);
    expect(await listEvidence(other)).toEqual([]);
    await sweep();
    expect(await listEvidence(broken)).toEqual([]);
  });

  test('is completed by the next sweep if the process stops during a sweep', async () => {
    const ids = [(await decideAndCrash(false)).user.id, (await decideAndCrash(false)).user.id].sort();
    const last = ids.at(-1) ?? '';
    const stop = new AbortController();
    const stopping: BlobStore = {
      ...blobs,
      async remove(key) {
        await blobs.remove(key);
        stop.abort(new Error('stopped'));
      },
    };
    await expect(sweep({ blobs: stopping }, stop)).rejects.toThrow('stopped');
    expect(await listEvidence(last)).toHaveLength(2);
    await sweep();
    expect(await listEvidence(last)).toEqual([]);
  });

  test('does not verify a rejected account', async () => {
    const provider = await decideAndCrash(false);
    await sweep();
    expect(await listEvidence(provider.user.id)).toEqual([]);
    expect(await listEventTypes(provider.user.id)).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
      'IdentityEvidenceDestroyed',
    ]);
  });

  test('does not verify a new account with the same address', async () => {
    const provider = await decideAndCrash(true);
    expect(
      (
        await api.call('DELETE', `/api/admin/users/${provider.user.id}`, {
          token: admin.token,
          body: { reason: 'On request.' },
        })
      ).status,
    ).toBe(200);
    await api.signUp('provider', { email: provider.email });
    await sweep();
    expect(await listEvidence(provider.user.id)).toEqual([]);
    expect(await listEventTypes(provider.user.id)).toEqual([
      'IdentityCheckRequested',
      'IdentityCheckDecided',
      'IdentityEvidenceDestroyed',
    ]);
  });
});

test('an identity check of a closed account does not apply to a new account with the same address', async () => {
  const provider = await api.signUp('provider');
  const { id } = provider.user;
  await requestCheck(provider.token, [await createPicture()]);
  const closed = await api.call('DELETE', `/api/admin/users/${id}`, {
    token: admin.token,
    body: { reason: 'On request.' },
  });
  expect(
    (await listChecks(closed.headers.get('x-position') ?? '')).filter(({ accountId }) => accountId === id),
    'not open for decision',
  ).toEqual([]);
  const newcomer = await api.signUp('provider', { email: provider.email });
  expect(newcomer.user.id).toBe(id);
  expect(await getCheck(newcomer.token)).toBeNull();
  expect(await decide(id, true)).toMatchObject({ status: 404, body: { code: 'IDENTITY_CHECK_NOT_FOUND' } });
  await expect
    .poll(async () => {
      await sweep();
      return listEvidence(id);
    })
    .toEqual([]);
  expect((await requestCheck(newcomer.token, [await createPicture()])).status).toBe(201);
  await sweep();
  expect(await listEvidence(id), 'evidence of the new account').toHaveLength(1);
});

describe('slow uploads of pictures', () => {
  /** Starts an upload that sends its first bytes and then nothing. The promise is the response. */
  function startSlowUpload(url: string, token: string, signal: AbortSignal) {
    const start = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n';
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(start)) });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' };
    return fetch(url, { method: 'POST', body, headers, duplex: 'half', signal } as RequestInit);
  }
  /** Runs a slow upload until `signal` aborts. Starts it again if another upload of the account was first. */
  async function runSlowUpload(token: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const response = await startSlowUpload(`${product.url}/api/account/identity`, token, signal).catch(() => null);
      if (response !== null) expect(await response.json()).toMatchObject({ code: 'UPLOADS_BUSY' });
    }
  }
  /** Checks that an upload of the account is running. The file of this check is never accepted. */
  const expectBusy = async (token: string) =>
    expect(await requestCheck(token, [Buffer.from('not a picture')])).toMatchObject({
      status: 503,
      body: { code: 'UPLOADS_BUSY' },
    });

  test('do not block the check of another account, and one account has one upload at a time', async () => {
    const [anna, bea, carla] = [
      await api.signUp('provider'),
      await api.signUp('provider'),
      await api.signUp('provider'),
    ];
    const leaving = new AbortController();
    const slow = [anna, bea].map(({ token }) => runSlowUpload(token, leaving.signal));
    // The second upload of an account is rejected as soon as the first one has arrived.
    for (const { token } of [anna, bea]) await eventually(() => expectBusy(token));
    expect((await requestCheck(carla.token, [await createPicture()])).status).toBe(201);
    leaving.abort();
    await Promise.all(slow);
    await eventually(async () => expect((await requestCheck(anna.token, [await createPicture()])).status).toBe(201));
  });

  /** Serves the uploads of an account in an own application. */
  async function serveUploads(caller: Person, store: BlobStore, options?: { readonly receive_ms: number }) {
    const { state } = await recording.commands.load(account, caller.user.id);
    const app = express();
    app.use(assignRequestId);
    app.use(
      '/api',
      identityRoutes(
        {
          commands: recording.commands,
          authentication: { require: () => Promise.resolve({ account: state }) } as unknown as Authentication,
          blobs: store,
          dataKeys: createMemoryDataKeys(),
          decoder,
          log: createLogger('silent'),
        },
        options,
      ),
      createErrorHandler(createLogger('silent')),
    );
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/account/identity`;
    return { url, close: () => new Promise((resolve) => server.close(resolve)) };
  }

  test('end after their time limit', async () => {
    const dana = await api.signUp('provider');
    const { url, close } = await serveUploads(dana, blobs, { receive_ms: 50 });
    const response = await startSlowUpload(url, dana.token, AbortSignal.timeout(MAX_WAIT_ms));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'UPLOAD_BROKEN_OFF' });
    await close();
  });

  test('are rejected before the disk is full (R-9.63)', async () => {
    const erna = await api.signUp('provider');
    const { url, close } = await serveUploads(erna, { ...blobs, hasSpaceFor: () => Promise.resolve(false) });
    const body = new FormData();
    body.append('files', new Blob([new Uint8Array(await createPicture())]), 'passport.jpg');
    const response = await fetch(url, { method: 'POST', body });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    await close();
  });
});

test('a legal hold prevents the destruction of evidence after a decision, a new check or a closure', async () => {
  const provider = await api.signUp('provider');
  const { id } = provider.user;
  const hold = (method: 'PUT' | 'DELETE') =>
    api.call(method, `/api/admin/users/${id}/legal-hold`, {
      token: admin.token,
      body: { reason: 'A court requires it.' },
    });
  await requestCheck(provider.token, [await createPicture(), await createPicture()]);
  expect((await hold('PUT')).status).toBe(200);
  const first = await listEvidence(id);

  expect((await decide(id, false)).status).toBe(200);
  expect(await getCheck(provider.token)).toMatchObject({ status: 'refused' });
  await sweep();
  expect(await listEvidence(id)).toEqual(first);
  expect((await fetchFile(id, 2)).status).toBe(200);

  const again = await requestCheck(provider.token, [await createPicture()]);
  await listChecks(again.position);
  const second = await listEvidence(id);
  // The files are older than any running upload, so the sweep treats them as files of an interrupted upload.
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
  for (const file of [...first, ...second]) await utimes(file, twoHoursAgo, twoHoursAgo);
  const closed = await api.call('DELETE', `/api/admin/users/${id}`, {
    token: admin.token,
    body: { reason: 'On request.' },
  });
  await listChecks(closed.headers.get('x-position') ?? '');
  await sweep();
  expect(await blobFiles(product.dataDir)).toEqual(expect.arrayContaining([...first, ...second]));

  expect((await hold('DELETE')).status).toBe(200);
  await sweep();
  const remaining = await blobFiles(product.dataDir);
  expect([...first, ...second].filter((file) => remaining.includes(file))).toEqual([]);
});

test('covers every field of the documented responses', () => expect(shown.missing()).toEqual([]));
