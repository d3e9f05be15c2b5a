import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deadlineOf, removal } from '@alpenglow/domain';
import { createRemovalCopies, loadSecrets, openMailTransport, type RemovalCopy } from '@alpenglow/infra';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main as recoverRemovals } from '../../launcher/tools/removals.ts';
import { ToolError } from '../../launcher/tools/tool.ts';
import { apiClient } from '../support/api.ts';
import { operatorCopiesMailText, operatorCopyMailText } from '../../workers/src/removal-mail-texts.ts';
import { openMailboxes } from '../support/inbox.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { openRecording } from '../support/recording.ts';

/** Two installations with the same secrets. The second one is the first one before the request. */
let product: TestProduct;
let restored: TestProduct;
let folder: string;

beforeAll(async () => {
  [product, restored] = await Promise.all([startTestProduct(), startTestProduct()]);
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-mails-'));
});
afterAll(async () => {
  await Promise.all([product?.stop(), restored?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const recover = () =>
  recoverRemovals(['--from', folder], {
    env: { DEMO: 'off', DATABASE_URL: restored.databaseUrl, DATA_DIR: restored.dataDir },
    rootDir: restored.dataDir,
    ownsDataDir: false,
  });

const COPY: RemovalCopy = {
  requestId: '0193a1b2-5b1d-4c53-9d51-0a6b7f1f3c11',
  recoveredFrom: '2026-01-01T00:00:00.000Z',
  relation: 'self',
  subjects: [{ kind: 'ad', id: 'a1' }],
  hidesAtOnce: true,
  name: 'Anna Example',
  email: 'anna@example.com',
  links: ['/ad/a1'],
  hashes: [],
  signature: 'Anna Example',
};

test('a copy can be read in the source of a mail from the mail server', async () => {
  const copies = createRemovalCopies('a'.repeat(64));
  const sources: string[] = [];
  const server = await startMailServer({
    onData: (stream, _session, done) => {
      buffer(stream).then((source) => {
        sources.push(source.toString('latin1'));
        done(null, 'queued');
      }, done);
    },
  });
  const transport = await openMailTransport({
    kind: 'smtp',
    url: `smtp://127.0.0.1:${server.port}`,
    from: 'no-reply@example.com',
  });
  // The length of the encrypted data differs, so that each number of padding characters would occur.
  const sent = ['A', 'AB', 'ABC'].map((name) => ({ ...COPY, name }));
  for (const copy of sent) {
    const text = operatorCopyMailText({
      site: 'https://www.example.org',
      requestId: copy.requestId,
      requestedAt: copy.recoveredFrom,
      copy: copies.seal(copy),
    });
    await transport?.send({ id: `copy-${copy.name}`, to: 'admin@example.com', unsubscribeUrl: null, ...text });
  }
  await transport?.close();
  await server.close();
  expect(sources.map((source) => /quoted-printable/u.test(source))).toEqual([true, true, true]);
  expect(sources.flatMap((source) => copies.openAll(source))).toEqual(sent);
  // A mail program may break lines that are longer than its limit.
  const broken = copies.seal(COPY).replaceAll(/\S{40}/gu, '$&=\r\n');
  expect(copies.openAll(broken)).toEqual([COPY]);
});

test('npm run removals recovers a request from the mail to the operator, with its deadline', async () => {
  await expect(recover()).rejects.toThrow(ToolError);
  const { status, body } = await apiClient(product.url).call('POST', '/api/removal-requests', {
    body: {
      name: 'Anna Example',
      email: 'anna@example.com',
      relation: 'representative',
      links: ['/ad/a1'],
      hashes: ['8f373714acfcf4d0'.repeat(4)],
      statement: true,
      signature: 'Anna Example',
    },
  });
  expect(status).toBe(201);
  const { id, reference, deadline } = body['data'] as { id: string; reference: string; deadline: string };
  const mailboxes = openMailboxes(product);
  const mail = await mailboxes.waitForMail('admin@example.com', reference);
  await mailboxes.close();
  await writeFile(path.join(folder, 'mail.eml'), `Subject: ${mail.subject}\r\n\r\n${mail.text}`);

  expect(await recover()).toBe(0);
  const before = await openRecording(product);
  const after = await openRecording(restored);
  const original = (await before.commands.load(removal, id)).state;
  const recovered = (await after.commands.load(removal, id)).state;
  expect(recovered).toEqual(original);
  expect(recovered && deadlineOf(recovered)).toBe(deadline);
  // A repeated run changes nothing. A copy that cannot be read does not stop the others.
  const changed = createRemovalCopies('b'.repeat(64)).seal({ ...COPY, requestId: id });
  await writeFile(path.join(folder, 'a-changed.eml'), changed);
  expect(await recover()).toBe(1);
  expect((await after.commands.load(removal, id)).revision).toBe(0);
  await Promise.all([before.close(), after.close()]);
});

test('npm run removals recovers each request of a mail with several copies', async () => {
  const { dataKeys } = await loadSecrets(restored.dataDir);
  const copies = createRemovalCopies(dataKeys);
  const lost = ['1', '2', '3'].map((digit) => ({
    ...COPY,
    requestId: `0193a1b2-5b1d-4c53-9d51-${digit.repeat(12)}`,
    name: `Anna ${digit}`,
  }));
  const { text } = operatorCopiesMailText(
    'https://www.example.org',
    lost.map((copy) => ({ requestId: copy.requestId, requestedAt: copy.recoveredFrom, copy: copies.seal(copy) })),
  );
  await rm(path.join(folder, 'a-changed.eml'), { force: true });
  await writeFile(path.join(folder, 'several.eml'), text);
  expect(await recover()).toBe(0);
  const { commands, close } = await openRecording(restored);
  for (const { requestId, name, recoveredFrom } of lost)
    expect((await commands.load(removal, requestId)).state).toMatchObject({ name, requestedAt: recoveredFrom });
  await close();
});
