import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

/** Tests the whole product with a mail server. */

const PASSWORD = 'correct horse battery';

let server: MailServer;
let product: TestProduct;
let api: ReturnType<typeof apiClient>;
beforeAll(async () => {
  server = await startMailServer();
  product = await startTestProduct({
    mail: { kind: 'smtp', url: `smtp://127.0.0.1:${server.port}`, from: 'Alpenglow <no-reply@alpenglow.example>' },
  });
  api = apiClient(product.url);
});
afterAll(async () => {
  await product.stop();
  await server.close();
});

const mailsTo = (address: string) => server.received.filter(({ to }) => to.includes(address));
const codeIn = (text: string) => /\b\d{6}\b/u.exec(text)?.[0] ?? '';
const post = (path: string, body: unknown, token?: string) =>
  api.call('POST', `/api/auth/${path}`, { body, ...(token !== undefined && { token }) });
const signUp = (email: string, displayName = 'Anna') =>
  post('signup', { email, password: PASSWORD, userType: 'client', displayName, age: 30 });

test('the code of a sign-up arrives by mail and verifies the address', async () => {
  const { status, body } = await signUp('anna@example.com', 'Visit evil.example');
  expect(status).toBe(201);
  await expect.poll(() => mailsTo('anna@example.com').length).toBe(1);
  const [letter] = mailsTo('anna@example.com');
  expect(letter?.headers['subject']).toBe('Your Alpenglow code');
  expect(JSON.stringify(letter)).not.toContain('evil');
  const code = codeIn(letter?.text ?? '');
  expect(await post('verify-email', { email: 'anna@example.com', code }, body['token'] as string)).toMatchObject({
    status: 200,
    body: { user: { isEmailVerified: true } },
  });
});

test('the code of a password reset arrives by mail and resets the password', async () => {
  await post('forgot-password', { email: 'anna@example.com' });
  await expect
    .poll(() => mailsTo('anna@example.com').map(({ headers }) => headers['subject']))
    .toContain('Reset your Alpenglow password');
  const letter = mailsTo('anna@example.com').find(
    ({ headers }) => headers['subject'] === 'Reset your Alpenglow password',
  );
  expect(
    (
      await post('reset-password', {
        email: 'anna@example.com',
        code: codeIn(letter?.text ?? ''),
        newPassword: 'another horse battery',
      })
    ).status,
  ).toBe(200);
});

test('a repeated sign-up sends one mail to the owner of the address', async () => {
  expect(
    (
      await post('signup', {
        email: 'anna@example.com',
        password: 'a third horse battery',
        userType: 'client',
        displayName: 'Not Anna',
        age: 40,
      })
    ).status,
  ).toBe(201);
  await expect
    .poll(
      () =>
        mailsTo('anna@example.com').filter(
          ({ headers }) => headers['subject'] === 'You already have an account at Alpenglow',
        ).length,
    )
    .toBe(1);
  expect(new Set(server.received.map(({ headers }) => headers['message-id'])).size).toBe(server.received.length);
});

test('sent mails are not in the inbox', async () => {
  expect(await (await fetch(`${product.url}/dev/inbox`)).text()).not.toContain('anna@example.com');
});
