import type { UserView } from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { describe, expect, it } from 'vitest';
import { SessionStore, type SessionEnding } from '../src/session/session-store.ts';
import { mergeUser, TOKEN_KEY, USER_KEY } from '../src/session/stored-session.ts';
import { createMemoryStorage, type MemoryStorage } from '../../tests/support/memory-storage.ts';

const user = { id: 'u1', email: 'anna@example.com', userType: 'provider', displayName: 'Anna', age: 30 } as UserView;
const rejection = new ApiError('Token verification failed', { status: 401, code: 'AUTHENTICATION_REQUIRED' });
const unreachable = new ApiError('Network error - please check your connection', { status: 0, code: 'NETWORK' });

const signedIn = () =>
  createMemoryStorage({
    [TOKEN_KEY]: 't1',
    [USER_KEY]: JSON.stringify({ ...user, displayName: 'Old', favoriteColor: 'rose' }),
  });

function store(storage: MemoryStorage, verify: (token: string) => Promise<unknown>) {
  return new SessionStore({ storage, verify, retryWaits_ms: [0, 0], recheckWait_ms: 0 });
}

describe('at the start', () => {
  it('the session is anonymous if nothing is stored', () => {
    expect(store(createMemoryStorage(), () => Promise.reject(rejection)).current()).toEqual({ state: 'anonymous' });
  });

  it('the session is unknown until the stored token is verified; then the server’s data takes precedence', async () => {
    const storage = signedIn();
    const sessions = store(storage, (token) => Promise.resolve(token === 't1' ? user : null));
    expect(sessions.current()).toEqual({ state: 'unknown' });
    await sessions.verifyStored();
    expect(sessions.current()).toEqual({
      state: 'authenticated',
      token: 't1',
      user: { ...user, favoriteColor: 'rose' },
    });
    expect(JSON.parse(storage.getItem(USER_KEY) ?? '')).toMatchObject({ displayName: 'Anna' });
  });

  it.each([
    ['the server rejects the token', () => Promise.reject(rejection)],
    ['the response is no user', () => Promise.resolve({ nothing: true })],
    ['the response is empty', () => Promise.resolve(null)],
  ])('clears token and user if %s', async (_, verify) => {
    const storage = signedIn();
    const sessions = store(storage, verify);
    await sessions.verifyStored();
    expect(sessions.current()).toEqual({ state: 'anonymous' });
    expect([storage.getItem(TOKEN_KEY), storage.getItem(USER_KEY)]).toEqual([null, null]);
  });

  describe.each([
    ['the server is not reachable', unreachable],
    ['the server fails', new ApiError('Internal', { status: 500, code: 'INTERNAL' })],
    ['the request was too much', new ApiError('Too many requests', { status: 429, code: 'RATE_LIMITED' })],
    ['a proxy requires a login', new ApiError('Unauthorized', { status: 401, code: 'UNKNOWN' })],
    ['a proxy rejects the request', new ApiError('Forbidden', { status: 403, code: 'UNKNOWN' })],
    ['the response is not readable', new TypeError('broken')],
  ])('if %s', (_, failure) => {
    it('keeps the session, and verifies it until the server responds', async () => {
      const storage = signedIn();
      const responses: (() => Promise<unknown>)[] = Array.from({ length: 5 }, () => () => Promise.reject(failure));
      responses.push(() => Promise.resolve(user));
      const sessions = store(storage, () => responses.shift()?.() ?? Promise.reject(rejection));
      await sessions.verifyStored();
      expect(sessions.current()).toMatchObject({ state: 'authenticated', token: 't1', user: { displayName: 'Old' } });
      expect(storage.getItem(TOKEN_KEY)).toBe('t1');
      await expect.poll(() => sessions.current()).toMatchObject({ user: { displayName: 'Anna' } });
    });

    it('ends the session as soon as the server rejects the token', async () => {
      const storage = signedIn();
      const responses: (() => Promise<unknown>)[] = Array.from({ length: 5 }, () => () => Promise.reject(failure));
      const sessions = store(storage, () => responses.shift()?.() ?? Promise.reject(rejection));
      const endings: SessionEnding[] = [];
      sessions.onEnding((ending) => endings.push(ending));
      await sessions.verifyStored();
      expect(sessions.current()).toMatchObject({ state: 'authenticated' });
      await expect.poll(() => sessions.current()).toEqual({ state: 'anonymous' });
      expect([storage.getItem(TOKEN_KEY), endings]).toEqual([null, ['ended']]);
    });

    it('does not store anything again after a logout', async () => {
      const storage = signedIn();
      const sessions = store(storage, () => Promise.reject(failure));
      await sessions.verifyStored();
      sessions.signOut();
      expect([sessions.current(), storage.getItem(TOKEN_KEY)]).toEqual([{ state: 'anonymous' }, null]);
    });

    it('leaves a session without a stored user unknown, because nothing shows who it is', async () => {
      const storage = createMemoryStorage({ [TOKEN_KEY]: 't1', [USER_KEY]: '{}' });
      const sessions = store(storage, () => Promise.reject(failure));
      await sessions.verifyStored();
      expect(sessions.current()).toEqual({ state: 'unknown' });
      expect(storage.getItem(TOKEN_KEY)).toBe('t1');
      sessions.signOut();
    });
  });

  it.each(['{broken', '[]', 'null', '7'])('clears and reports the session if the stored user is %s', async (stored) => {
    const storage = createMemoryStorage({ [TOKEN_KEY]: 't1', [USER_KEY]: stored });
    const sessions = store(storage, () => Promise.resolve(user));
    const endings: SessionEnding[] = [];
    sessions.onEnding((ending) => endings.push(ending));
    expect(sessions.current()).toEqual({ state: 'unknown' });
    await sessions.verifyStored();
    expect(sessions.current()).toEqual({ state: 'anonymous' });
    expect([storage.getItem(TOKEN_KEY), storage.getItem(USER_KEY)]).toEqual([null, null]);
    expect(endings).toEqual(['refused']);
  });

  it('retries if the server is starting', async () => {
    const responses = [() => Promise.reject(unreachable), () => Promise.resolve(user)];
    const sessions = store(signedIn(), () => responses.shift()?.() ?? Promise.reject(rejection));
    await sessions.verifyStored();
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
  });
});

describe('later', () => {
  it('a sign-in overrides the response to an earlier verification', async () => {
    let resolveVerification: (user: unknown) => void = () => undefined;
    const storage = signedIn();
    const sessions = store(storage, () => new Promise((resolve) => (resolveVerification = resolve)));
    const verifying = sessions.verifyStored();
    sessions.signIn('t2', { ...user, displayName: 'Other' });
    resolveVerification(user);
    await verifying;
    expect(sessions.current()).toMatchObject({ token: 't2', user: { displayName: 'Other' } });
  });

  it('a sign-out in another tab ends the session here', () => {
    const storage = createMemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    storage.clear();
    sessions.storageChanged(null);
    expect(sessions.current()).toEqual({ state: 'anonymous' });
  });

  it('a sign-in in another tab is verified and applied in one step', async () => {
    const storage = createMemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    const states: string[] = [];
    sessions.subscribe(() => states.push(sessions.current().state));
    storage.setItem(TOKEN_KEY, 't9');
    sessions.storageChanged(TOKEN_KEY);
    await expect.poll(() => sessions.current()).toMatchObject({ token: 't9' });
    expect(states).toEqual(['authenticated']);
  });

  it('a sign-in of another user in another tab makes the session unknown until it is verified', async () => {
    const storage = createMemoryStorage();
    const sessions = store(storage, () => Promise.resolve({ ...user, id: 'u2', email: 'berta@example.com' }));
    sessions.signIn('t1', user);
    storage.setItem(TOKEN_KEY, 't9');
    sessions.storageChanged(TOKEN_KEY);
    expect(sessions.current()).toEqual({ state: 'unknown' });
    await expect.poll(() => sessions.current()).toMatchObject({ token: 't9', user: { id: 'u2' } });
  });

  it('user data that another tab has updated is applied', () => {
    const storage = createMemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    storage.setItem(USER_KEY, JSON.stringify({ ...user, canPostAds: true }));
    sessions.storageChanged(USER_KEY);
    expect(sessions.current()).toMatchObject({ state: 'authenticated', token: 't1', user: { canPostAds: true } });
  });

  it.each(['{broken', '[]', 'null'])('user data that another tab has replaced with %s ends the session', (stored) => {
    const storage = createMemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    const endings: SessionEnding[] = [];
    sessions.onEnding((ending) => endings.push(ending));
    sessions.signIn('t1', user);
    storage.setItem(USER_KEY, stored);
    sessions.storageChanged(USER_KEY);
    expect(sessions.current()).toEqual({ state: 'anonymous' });
    expect([storage.getItem(TOKEN_KEY), storage.getItem(USER_KEY)]).toEqual([null, null]);
    expect([endings, sessions.hasEnded]).toEqual([['refused'], true]);
    sessions.storageChanged(TOKEN_KEY);
    expect(endings, 'it is reported once').toEqual(['refused']);
  });

  it('a page that is being left does not change; after a return to it, the session is anonymous', () => {
    const storage = createMemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    sessions.leave();
    sessions.storageChanged(TOKEN_KEY);
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
    expect([storage.getItem(TOKEN_KEY), storage.getItem(USER_KEY)]).toEqual([null, null]);
    sessions.resume();
    expect(sessions.current()).toEqual({ state: 'anonymous' });
  });

  it('an update of another user is ignored', () => {
    const sessions = store(createMemoryStorage(), () => Promise.resolve(user));
    sessions.signIn('t2', { ...user, id: 'u2', email: 'ben@example.com' });
    sessions.updateUser({ ...user, displayName: 'Anna Maria' });
    expect(sessions.current()).toMatchObject({ token: 't2', user: { id: 'u2', email: 'ben@example.com' } });
    sessions.updateUser({ ...user, id: 'u2', displayName: 'Ben' });
    expect(sessions.current()).toMatchObject({ token: 't2', user: { displayName: 'Ben' } });
  });

  it('changes of other keys are ignored', () => {
    const sessions = store(createMemoryStorage(), () => Promise.resolve(user));
    sessions.signIn('t1', user);
    sessions.storageChanged('favorites');
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
  });
});

describe('the end of a session without a logout', () => {
  const endings = (sessions: SessionStore) => {
    const reported: SessionEnding[] = [];
    sessions.onEnding((ending) => reported.push(ending));
    return reported;
  };

  it('is reported once, also to a later subscriber', async () => {
    const sessions = store(signedIn(), () => Promise.reject(rejection));
    await sessions.verifyStored();
    expect(endings(sessions)).toEqual(['refused']);
    expect(endings(sessions)).toEqual([]);
  });

  it('is reported as `ended` if the session was in use; concurrent rejections cause one verification', async () => {
    let verifications = 0;
    const sessions = store(createMemoryStorage(), () => (verifications++, Promise.reject(rejection)));
    const reported = endings(sessions);
    sessions.signIn('t1', user);
    sessions.requestWasRejected();
    sessions.requestWasRejected();
    await expect.poll(() => sessions.current()).toEqual({ state: 'anonymous' });
    expect([verifications, reported]).toEqual([1, ['ended']]);
    sessions.requestWasRejected();
    expect(verifications, 'the session has ended').toBe(1);
  });

  it('is not reported if the server accepts the token', async () => {
    const sessions = store(createMemoryStorage(), () => Promise.resolve({ ...user, displayName: 'Newer' }));
    const reported = endings(sessions);
    sessions.signIn('t1', user);
    sessions.requestWasRejected();
    await expect.poll(() => sessions.current()).toMatchObject({ user: { displayName: 'Newer' } });
    expect(reported).toEqual([]);
  });

  it('is not reported for a sign-out or a visit without a session', async () => {
    const sessions = store(createMemoryStorage(), () => Promise.reject(rejection));
    const reported = endings(sessions);
    await sessions.verifyStored();
    sessions.signIn('t1', user);
    sessions.signOut();
    expect(reported).toEqual([]);
  });
});

describe('the data of a user who leaves', () => {
  /** Creates a session store that records the users who leave. */
  function recording(storage: MemoryStorage, verify: (token: string) => Promise<unknown>) {
    const left: unknown[] = [];
    const sessions = new SessionStore({
      storage,
      verify,
      retryWaits_ms: [],
      onUserLeft: (former) => left.push(former && { id: former.id, email: former.email, hadToken: hasToken(storage) }),
    });
    return { sessions, left };
  }
  const hasToken = (storage: MemoryStorage) => storage.getItem(TOKEN_KEY) !== null;
  const anna = { id: 'u1', email: 'anna@example.com', hadToken: true };

  it('is deleted if the server rejects the stored session', async () => {
    const { sessions, left } = recording(signedIn(), () => Promise.reject(rejection));
    await sessions.verifyStored();
    expect(left).toEqual([anna]);
  });

  it('is deleted if the session ends during use, or if another user replaces it', async () => {
    const { sessions, left } = recording(createMemoryStorage(), () => Promise.reject(rejection));
    sessions.signIn('t1', user);
    sessions.updateUser({ ...user, displayName: 'Anna Maria' });
    expect(left).toEqual([]);
    sessions.signIn('t2', { ...user, id: 'u2', email: 'ben@example.com' });
    expect(left).toEqual([anna]);
    sessions.requestWasRejected();
    await expect.poll(() => left).toEqual([anna, { id: 'u2', email: 'ben@example.com', hadToken: true }]);
  });

  it('is deleted by the tab that ends the session; other tabs delete only their own data', () => {
    const storage = createMemoryStorage();
    const { sessions, left } = recording(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    storage.clear();
    sessions.storageChanged(null);
    sessions.storageChanged(null);
    expect(left).toEqual([null]);
  });
});

it('a response without an e-mail address is no user', () => {
  expect(mergeUser({ email: 'a@example.com' }, { displayName: 'A' })).toBeNull();
  expect(mergeUser({ displayName: 'A' }, { email: 'a@example.com' })).toEqual({
    email: 'a@example.com',
    displayName: 'A',
  });
});
