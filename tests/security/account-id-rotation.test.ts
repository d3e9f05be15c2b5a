import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  accountIdOf,
  createUnsubscribeTokens,
  findSecrets,
  obtainAccountIdKey,
  resetAccountIdKey,
  rewrapAccountIdKey,
  secretIdsOf,
  storeSecretFingerprints,
  type Pool,
} from '@alpenglow/infra';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiClient, PASSWORD, type ApiClient, type Person } from '../support/api.ts';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import {
  createEmptyLocation,
  createPreparedLocation,
  startTestProduct,
  type DataLocation,
  type TemporaryDataLocation,
  type TestProduct,
} from '../support/product.ts';
import { buildTools, type Tools } from '../support/tools.ts';

const createSecret = () => randomBytes(32).toString('hex');
const idOf = (secret: string) => secretIdsOf(secret)[0] ?? '';

/** The tests run in order and are the steps of one rotation, as docs/operations.md describes them. */
describe('SECRET_ACCOUNT_IDS can be replaced, and all account ids remain (decision 0064)', () => {
  const next = createSecret();
  let previous: string;
  let folder: string;
  let place: TemporaryDataLocation;
  let tools: Tools;
  let product: TestProduct | null = null;
  let api: ApiClient;
  let person: Person;
  let unverified: Person;
  let oldLink: string;
  let mixedBackup: string;

  async function start(...secrets: string[]): Promise<void> {
    await product?.stop();
    product = null;
    const file = path.join(place.dataDir, 'secrets.json');
    await writeFile(file, JSON.stringify({ ...(await findSecrets(place.dataDir)), accountIds: secrets.join(',') }));
    product = await startTestProduct({}, place);
    api = apiClient(product.url);
  }
  const envOf = ({ databaseUrl, dataDir }: DataLocation) => ({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
  const logIn = (client: ApiClient, { email }: Person) =>
    client.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } });
  async function expectSameAccount({ email, user }: Person): Promise<void> {
    const { status, body } = await logIn(api, { email } as Person);
    expect({ status, body }).toMatchObject({ status: 200, body: { user: { id: user.id } } });
  }
  const unsubscribe = async (token: string) =>
    (await api.call('POST', '/api/community/unsubscribe', { body: { token } })).status;

  beforeAll(async () => {
    tools = await buildTools();
    folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-rotation-'));
    place = await createPreparedLocation();
    previous = (await findSecrets(place.dataDir))?.accountIds ?? '';
    await start(previous);
    person = await api.signUp('client');
    unverified = await api.signUp('provider', { verify: false });
    oldLink = createUnsubscribeTokens(previous).issue({ accountId: person.user.id, threadId: null });
    expect(await unsubscribe(oldLink)).toBe(200);
  });
  afterAll(async () => {
    await product?.stop();
    await place?.remove();
    await tools?.remove();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('the secret alone is not the key of account ids', () => {
    expect(person.user.id).not.toBe(accountIdOf(previous, person.email));
  });

  test('a process does not start without the secret that encrypts the key of account ids', async () => {
    await expect(start(next)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`SECRET_ACCOUNT_IDS: lacks the secret with the id ${idOf(previous)}`) as string,
    });
  });

  test('the key is encrypted with the new secret while people sign up and log in', async () => {
    await start(next, previous);
    mixedBackup = path.join(folder, 'mixed');
    expect(await tools.run('backup', ['--to', mixedBackup], envOf(place))).toMatchObject({ code: 0 });
    const email = `${randomUUID()}@example.com`;
    const signUps = () => Promise.all([1, 2, 3].map(() => api.signUp('client', { email, verify: false })));
    const before = await signUps();
    const [rewrapped, during] = await Promise.all([
      tools.run('secrets', ['rewrap'], envOf(place)),
      signUps(),
      expectSameAccount(person),
    ]);
    expect(rewrapped).toMatchObject({ code: 0 });
    expect(rewrapped.stdout).toContain(
      `The other secrets (${idOf(previous)}) can now be removed from SECRET_ACCOUNT_IDS`,
    );
    const after = await signUps();
    expect(new Set([...before, ...during, ...after].map(({ user }) => user.id)).size).toBe(1);
    // Links in mails that were sent before remain valid as long as the earlier secret is in the list.
    expect(await unsubscribe(oldLink)).toBe(200);
    expect((await tools.run('secrets', ['status'], envOf(place))).stdout).toMatch(
      new RegExp(`SECRET_ACCOUNT_IDS\\n${idOf(next)}\\tcurrent\\n${idOf(previous)}\\tcan be removed\\n$`, 'u'),
    );
  });

  test('afterwards, the new secret finds all accounts, and the old one signs nothing', async () => {
    await expect(start(previous)).rejects.toThrow(`SECRET_ACCOUNT_IDS: lacks the secret with the id ${idOf(next)}`);
    await start(next);
    await expectSameAccount(person);
    // A repeated sign-up finds the unverified account, and does not reveal the verified one.
    expect((await api.signUp('client', { email: unverified.email, verify: false })).user.id).toBe(unverified.user.id);
    expect((await api.signUp('client', { email: person.email, verify: false })).user.id).not.toBe(person.user.id);
    await expectSameAccount(person);
    const forged = createUnsubscribeTokens(previous).issue({ accountId: person.user.id, threadId: null });
    expect([await unsubscribe(forged), await unsubscribe(oldLink)]).toEqual([400, 400]);
    const valid = createUnsubscribeTokens(next).issue({ accountId: person.user.id, threadId: null });
    expect(await unsubscribe(valid)).toBe(200);
  });

  test('a backup from before can be restored with both secrets only', async () => {
    const target = await createEmptyLocation();
    const { dataKeys, verificationCodes } = (await findSecrets(place.dataDir)) ?? {
      dataKeys: '',
      verificationCodes: '',
    };
    const restore = (accountIds: string) =>
      tools.run('restore', ['--from', mixedBackup], {
        ...envOf(target),
        SECRET_ACCOUNT_IDS: accountIds,
        SECRET_DATA_KEYS: dataKeys,
        SECRET_VERIFICATION_CODES: verificationCodes,
      });
    try {
      const rejected = await restore(next);
      expect(rejected.code).toBe(1);
      expect(rejected.stderr).toContain('The secrets here do not unseal the restored data');
      const accountIds = `${next},${previous}`;
      expect(await restore(accountIds)).toMatchObject({ code: 0 });
      const restored = await startTestProduct({ secrets: { accountIds, dataKeys, verificationCodes } }, target);
      try {
        const { status, body } = await logIn(apiClient(restored.url), person);
        expect({ status, body }).toMatchObject({ status: 200, body: { user: { id: person.user.id } } });
      } finally {
        await restored.stop();
      }
    } finally {
      await target.remove();
    }
  });
});

describe('the key of account ids', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    pool = createTestPool(database.connectionString);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  test('is random and the same for all processes of a new installation', async () => {
    const secret = createSecret();
    const keys = await Promise.all([1, 2, 3, 4].map(() => obtainAccountIdKey(pool, secret)));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/u);
    expect(keys[0]).not.toBe(secret);
  });

  test('is the secret itself in an installation of an earlier release, even after a rotation', async () => {
    const [initial, next] = [createSecret(), createSecret()];
    const others = { dataKeys: createSecret(), verificationCodes: createSecret() };
    await storeSecretFingerprints(pool, { ...others, accountIds: initial });
    await resetAccountIdKey(pool, { isInBackup: false });
    await expect(obtainAccountIdKey(pool, next)).rejects.toThrow('The secret of the first start is not in');
    expect(await obtainAccountIdKey(pool, `${next},${initial}`)).toBe(initial);
    expect(await rewrapAccountIdKey(pool, `${next},${initial}`)).toBe(false);
    expect(await obtainAccountIdKey(pool, next)).toBe(initial);
    const last = createSecret();
    expect(await rewrapAccountIdKey(pool, `${last},${next}`)).toBe(true);
    expect(await obtainAccountIdKey(pool, last)).toBe(initial);
  });
});
