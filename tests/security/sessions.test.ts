import { connect } from 'node:net';
import { generateSync } from 'otplib';
import { describe, expect, test } from 'vitest';
import { createSessions } from '@alpenglow/infra';
import { PASSWORD, type Person } from '../support/api.ts';
import { connectLive } from '../support/live.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { testApi, testPool, testProduct, testRecording } from '../support/fixtures.ts';

/** Stolen and forgotten sessions, and clients that hold many connections. */

const product = testProduct({ rateLimits: true });
const api = testApi(product);
const pool = testPool(product, 1);
const recording = testRecording(product);

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const logIn = async (email: string, password = PASSWORD): Promise<string> => {
  const headers = { 'user-agent': FIREFOX };
  const { body } = await api.call('POST', '/api/auth/login', { body: { email, password }, headers });
  return body['token'] as string;
};
const isValid = async (token: string) => (await api.call('GET', '/api/auth/profile', { token })).status === 200;
const enableTwoStep = async (token: string): Promise<readonly string[]> => {
  const post = (path: string, body: unknown) => api.call('POST', `/api/auth/two-step/${path}`, { token, body });
  const { secret } = (await post('setup', { password: PASSWORD })).body['data'] as { secret: string };
  const confirmed = await post('confirm', { code: generateSync({ secret }) });
  return (confirmed.body['data'] as { recoveryCodes: string[] }).recoveryCodes;
};
interface ListedSession {
  readonly id: string;
  readonly device: string;
  readonly isCurrent: boolean;
  readonly isSameNetwork: boolean;
}
const listSessions = async (token: string) =>
  (await api.call('GET', '/api/auth/sessions', { token })).body['data'] as readonly ListedSession[];
/** Moves the times of all sessions of a person into the past. */
const ageSessions = ({ user }: Pick<Person, 'user'>, column: 'last_used_at' | 'confirmed_at', age: string) =>
  pool.query(`update auth.sessions set ${column} = now() - $2::interval where account_id = $1`, [user.id, age]);

test('the use of several sessions is recorded together, but not of an ended one', async () => {
  const sessions = createSessions(pool);
  const open = async (age: string) => {
    const { token, user } = await api.signUp('client');
    await ageSessions({ user }, 'last_used_at', age);
    return { user, session: await sessions.find(token) };
  };
  const [first, second, ended] = [await open('2 minutes'), await open('3 minutes'), await open('4 minutes')];
  await pool.query('update auth.sessions set expires_at = now() where account_id = $1', [ended.user.id]);
  await Promise.all([first, second, ended].map(({ session }) => sessions.touch(session?.sessionId ?? '')));
  const { rows } = await pool.query<{ account_id: string }>(
    `select account_id from auth.sessions
      where account_id = any($1) and last_used_at > now() - interval '90 seconds' order by 1`,
    [[first, second, ended].map(({ user }) => user.id)],
  );
  expect(rows.map(({ account_id: id }) => id)).toEqual([first.user.id, second.user.id].sort());
});

test('switching on two-step sign-in ends the sessions that were opened without a code', async () => {
  const { email, token } = await api.signUp('client');
  const stolen = await logIn(email);
  await enableTwoStep(token);
  expect(await isValid(token)).toBe(true);
  const body = { currentPassword: PASSWORD, newPassword: 'a stolen horse battery' };
  expect((await api.call('POST', '/api/auth/change-password', { token: stolen, body })).status).toBe(401);
});

test('a session without a code stays invalid if its row was not removed', async () => {
  const { user, email, token } = await api.signUp('client');
  await logIn(email);
  await enableTwoStep(token);
  await pool.query('update auth.sessions set two_step_version = 0 where account_id = $1', [user.id]);
  expect(await isValid(token)).toBe(false);
});

describe('the list of sessions', () => {
  test('shows device and network without the address, and ends single sessions and all others', async () => {
    const { email, token } = await api.signUp('client');
    const others = [await logIn(email), await logIn(email), await logIn(email)];
    const list = await listSessions(token);
    expect(list).toHaveLength(4);
    expect(list.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(list.filter(({ device }) => device === 'Firefox on Linux')).toHaveLength(3);
    expect(list.every(({ isSameNetwork }) => isSameNetwork)).toBe(true);
    expect(JSON.stringify(list)).not.toMatch(/127\.0\.0\.1|::1/u);
    const { rows } = await pool.query('select * from auth.sessions');
    expect(JSON.stringify(rows)).not.toMatch(/127\.0\.0\.1|::1|Mozilla/u);

    const ended = list.find(({ isCurrent }) => !isCurrent)?.id ?? '';
    expect((await api.call('DELETE', `/api/auth/sessions/${ended}`, { token })).status).toBe(200);
    expect((await listSessions(token)).map(({ id }) => id)).not.toContain(ended);
    expect((await api.call('DELETE', '/api/auth/sessions', { token })).status).toBe(200);
    expect(await listSessions(token)).toMatchObject([{ isCurrent: true }]);
    for (const other of others) expect(await isValid(other)).toBe(false);
  });

  test('does not end the session of another account', async () => {
    const [own, other] = [await api.signUp('client'), await api.signUp('client')];
    const [session] = await listSessions(other.token);
    const path = `/api/auth/sessions/${session?.id}`;
    expect((await api.call('DELETE', path, { token: own.token })).status).toBe(404);
    expect((await api.call('DELETE', '/api/auth/sessions/unknown', { token: own.token })).status).toBe(404);
    expect(await isValid(other.token)).toBe(true);
  });
});

describe('a session that is not used', () => {
  test('ends after 14 days', async () => {
    const person = await api.signUp('client');
    await ageSessions(person, 'last_used_at', '13 days 23 hours');
    expect(await isValid(person.token)).toBe(true);
    await ageSessions(person, 'last_used_at', '14 days 1 minute');
    expect(await isValid(person.token)).toBe(false);
  });

  test('ends after an hour for staff, and in any case 12 hours after the password was entered', async () => {
    const unused = await recording.member({ role: 'moderator' });
    await ageSessions(unused, 'last_used_at', '61 minutes');
    expect(await isValid(unused.token)).toBe(false);
    const old = await recording.member({ role: 'moderator' });
    await ageSessions(old, 'confirmed_at', '12 hours 1 minute');
    expect(await isValid(old.token)).toBe(false);
  });
});

test('an admin enters the password again after 30 minutes to change something, but not to read', async () => {
  const admin = await recording.member({ role: 'admin' });
  const { user } = await api.signUp('client');
  const verify = () => api.call('POST', `/api/admin/users/${user.id}/verify`, { token: admin.token, body: {} });
  await ageSessions(admin, 'confirmed_at', '31 minutes');
  expect((await api.call('GET', '/api/admin/users', { token: admin.token })).status).toBe(200);
  expect(await verify()).toMatchObject({ status: 403, body: { code: 'CONFIRMATION_REQUIRED' } });
  const confirm = (password: string) =>
    api.call('POST', '/api/auth/confirm', { token: admin.token, body: { password } });
  expect(await confirm('wrong horse')).toMatchObject({ status: 400, body: { code: 'WRONG_PASSWORD' } });
  expect((await verify()).status).toBe(403);
  expect((await confirm(PASSWORD)).status).toBe(200);
  expect((await verify()).status).toBe(200);
});

test('a moderator enters the password again after four hours to change something, but not to read', async () => {
  const moderator = await recording.member({ role: 'moderator' });
  const { token } = moderator;
  const { token: ownerToken } = await recording.member({ userType: 'provider' });
  const { id } = await api.postAd(ownerToken);
  await api.call('POST', '/api/reports', { body: { subject: { kind: 'ad', id }, reason: 'spam' } });
  const claim = () => api.call('POST', `/api/admin/moderation/cases/ad-${id}/claim`, { token, body: {} });
  await ageSessions(moderator, 'confirmed_at', '3 hours 59 minutes');
  expect((await claim()).status).toBe(200);
  await ageSessions(moderator, 'confirmed_at', '4 hours 1 minute');
  expect((await api.call('GET', '/api/admin/moderation/cases', { token })).status).toBe(200);
  expect(await claim()).toMatchObject({ status: 403, body: { code: 'CONFIRMATION_REQUIRED' } });
  expect((await api.call('POST', '/api/auth/confirm', { token, body: { password: PASSWORD } })).status).toBe(200);
  expect((await claim()).status).toBe(200);
});

test('with two-step sign-in, the password alone does not confirm a session', async () => {
  const { token } = await api.signUp('client');
  const [code] = await enableTwoStep(token);
  const confirm = (body: unknown) => api.call('POST', '/api/auth/confirm', { token, body });
  expect(await confirm({ password: PASSWORD })).toMatchObject({
    status: 400,
    body: { code: 'TWO_STEP_CODE_WRONG' },
  });
  expect((await confirm({ password: PASSWORD, code })).status).toBe(200);
});

describe('the live channel', () => {
  const issueTicket = async (token: string) =>
    ((await api.call('POST', '/api/auth/live-ticket', { token })).body['data'] as { ticket: string }).ticket;

  test('accepts a ticket once, and not after a minute', async () => {
    const { token } = await api.signUp('client');
    const ticket = await issueTicket(token);
    const client = await connectLive(product.url, { ticket });
    // The server checks the ticket after the connection has opened. It replies only to clients with a valid ticket.
    await client.ask({ type: 'subscribe', id: 1, topics: [{ kind: 'ads' }] });
    expect(await (await connectLive(product.url, { ticket })).closed).toBe(4401);
    client.close();
    const expired = await issueTicket(token);
    await pool.query(`update auth.live_tickets set expires_at = now() - interval '1 second'`);
    expect(await (await connectLive(product.url, { ticket: expired })).closed).toBe(4401);
  });

  test('stores only hashes of tickets', async () => {
    const ticket = await issueTicket((await api.signUp('client')).token);
    const { rows } = await pool.query('select * from auth.live_tickets');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(ticket);
  });

  test.each(['ticket', 'token'] as const)('closes with 4401 when the session of its %s ends', async (kind) => {
    const { email, token } = await api.signUp('client');
    const stolen = await logIn(email);
    const value = kind === 'ticket' ? await issueTicket(stolen) : stolen;
    const client = await connectLive(product.url, { [kind]: value });
    const own = await connectLive(product.url, { token });
    await api.call('DELETE', '/api/auth/sessions', { token });
    expect(await client.closed).toBe(4401);
    own.close();
    expect(await own.closed).toBe(1005);
  });

  test('closes with 4401 when the session was not used for too long, which is an hour for staff', async () => {
    const [person, staff] = [await api.signUp('client'), await recording.member({ role: 'moderator' })];
    const [client, ofStaff, ofOther] = [
      await connectLive(product.url, { token: person.token }),
      await connectLive(product.url, { token: staff.token }),
      await connectLive(product.url, { token: (await api.signUp('client')).token }),
    ];
    await ageSessions(person, 'last_used_at', '14 days 1 minute');
    await ageSessions(staff, 'last_used_at', '61 minutes');
    expect([await client.closed, await ofStaff.closed]).toEqual([4401, 4401]);
    ofOther.close();
    expect(await ofOther.closed).toBe(1005);
  });
});

describe('one network address', () => {
  test('opens at most 200 connections of the live channel', async () => {
    const clients = await Promise.allSettled(Array.from({ length: 230 }, () => connectLive(product.url)));
    const open = clients.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(open).toHaveLength(200);
    for (const result of clients) if (result.status === 'rejected') expect(String(result.reason)).toContain('429');
    for (const client of open) client.close();
    await Promise.all(open.map(({ closed }) => closed));
    await expect
      .poll(() => connectLive(product.url).then((client) => client.close(), String), { timeout: MAX_WAIT_ms })
      .toBe(undefined);
  });

  test('sends at most 40 request bodies at a time', async () => {
    const { hostname, port } = new URL(product.url);
    const sockets = Array.from({ length: 60 }, () => connect(Number(port), hostname));
    const responses = new Map<number, string>();
    for (const [index, socket] of sockets.entries()) {
      socket.on('error', () => undefined);
      socket.on('data', (data) => responses.set(index, (responses.get(index) ?? '') + data.toString('latin1')));
      socket.write(
        `POST /api/auth/login HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
          'Content-Length: 100\r\n\r\n{',
      );
    }
    await expect.poll(() => responses.size, { timeout: MAX_WAIT_ms }).toBe(20);
    for (const response of responses.values()) expect(response).toMatch(/^HTTP\/1\.1 429 /u);
    for (const socket of sockets) socket.destroy();
    const retry = () => api.call('POST', '/api/auth/login', { body: { email: 'a@example.com', password: 'x' } });
    await expect.poll(async () => (await retry()).status, { timeout: MAX_WAIT_ms }).toBe(401);
  });
});
