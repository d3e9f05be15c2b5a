import type { UserView } from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { describe, expect, it } from 'vitest';
import { SessionStore, type SessionEnding } from '../src/session/session-store.ts';
import { mergeUser, TOKEN_KEY, USER_KEY } from '../src/session/stored-session.ts';
import { MemoryStorage } from './memory-storage.ts';

const user = { id: 'u1', email: 'anna@example.com', userType: 'provider', displayName: 'Anna', age: 30 } as UserView;
const refusal = new ApiError('Token verification failed', { status: 401, code: 'AUTHENTICATION_REQUIRED' });
const unreachable = new ApiError('Network error - please check your connection', { status: 0, code: 'NETWORK' });

const signedIn = () =>
  new MemoryStorage({
    [TOKEN_KEY]: 't1',
    [USER_KEY]: JSON.stringify({ ...user, displayName: 'Old', favoriteColor: 'rose' }),
  });

function store(storage: MemoryStorage, verify: (token: string) => Promise<unknown>) {
  return new SessionStore({ storage, verify, retryWaits_ms: [0, 0] });
}

describe('at the start', () => {
  it('nobody is signed in where nothing is stored', () => {
    expect(store(new MemoryStorage(), () => Promise.reject(refusal)).current()).toEqual({ state: 'anonymous' });
  });

  it('the visitor is unknown until the stored token has been verified; then the server’s data lies over the stored', async () => {
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
    ['the server refuses the token', () => Promise.reject(refusal)],
    ['the answer is no user', () => Promise.resolve({ nothing: true })],
    ['the answer is empty', () => Promise.resolve(null)],
    ['the server stays away', () => Promise.reject(unreachable)],
  ])('token and user are cleared when %s', async (_, verify) => {
    const storage = signedIn();
    const sessions = store(storage, verify);
    await sessions.verifyStored();
    expect(sessions.current()).toEqual({ state: 'anonymous' });
    expect([storage.getItem(TOKEN_KEY), storage.getItem(USER_KEY)]).toEqual([null, null]);
  });

  it('both are cleared when the stored user is no JSON', async () => {
    const storage = new MemoryStorage({ [TOKEN_KEY]: 't1', [USER_KEY]: '{broken' });
    const sessions = store(storage, () => Promise.resolve(user));
    await sessions.verifyStored();
    expect(sessions.current()).toEqual({ state: 'anonymous' });
    expect(storage.getItem(TOKEN_KEY)).toBeNull();
  });

  it('a server that is only just starting is asked again', async () => {
    const answers = [() => Promise.reject(unreachable), () => Promise.resolve(user)];
    const sessions = store(signedIn(), () => answers.shift()?.() ?? Promise.reject(refusal));
    await sessions.verifyStored();
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
  });
});

describe('later', () => {
  it('a sign-in wins over the answer to an older question', async () => {
    let answer: (user: unknown) => void = () => undefined;
    const storage = signedIn();
    const sessions = store(storage, () => new Promise((resolve) => (answer = resolve)));
    const verifying = sessions.verifyStored();
    sessions.signIn('t2', { ...user, displayName: 'Other' });
    answer(user);
    await verifying;
    expect(sessions.current()).toMatchObject({ token: 't2', user: { displayName: 'Other' } });
  });

  it('a sign-out in another tab ends the session here', () => {
    const storage = new MemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    storage.clear();
    sessions.storageChanged(null);
    expect(sessions.current()).toEqual({ state: 'anonymous' });
  });

  it('a sign-in in another tab is verified and followed, without a step between', async () => {
    const storage = new MemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    const states: string[] = [];
    sessions.subscribe(() => states.push(sessions.current().state));
    storage.setItem(TOKEN_KEY, 't9');
    sessions.storageChanged(TOKEN_KEY);
    await expect.poll(() => sessions.current()).toMatchObject({ token: 't9' });
    expect(states).toEqual(['authenticated']);
  });

  it('somebody else who signs in in another tab is nobody here until they are verified', async () => {
    const storage = new MemoryStorage();
    const sessions = store(storage, () => Promise.resolve({ ...user, id: 'u2', email: 'berta@example.com' }));
    sessions.signIn('t1', user);
    storage.setItem(TOKEN_KEY, 't9');
    sessions.storageChanged(TOKEN_KEY);
    expect(sessions.current()).toEqual({ state: 'unknown' });
    await expect.poll(() => sessions.current()).toMatchObject({ token: 't9', user: { id: 'u2' } });
  });

  it('what another tab has learnt about the user is taken over', () => {
    const storage = new MemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    storage.setItem(USER_KEY, JSON.stringify({ ...user, canPostAds: true }));
    sessions.storageChanged(USER_KEY);
    expect(sessions.current()).toMatchObject({ state: 'authenticated', token: 't1', user: { canPostAds: true } });
  });

  it('a page that is being left stays as it is, and is nobody’s when it is come back to', () => {
    const storage = new MemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    sessions.signIn('t1', user);
    sessions.leave();
    sessions.storageChanged(TOKEN_KEY);
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
    expect([storage.getItem(TOKEN_KEY), storage.getItem(USER_KEY)]).toEqual([null, null]);
    sessions.comeBack();
    expect(sessions.current()).toEqual({ state: 'anonymous' });
  });

  it('what is said of somebody else, who was here before, is dropped', () => {
    const sessions = store(new MemoryStorage(), () => Promise.resolve(user));
    sessions.signIn('t2', { ...user, id: 'u2', email: 'ben@example.com' });
    sessions.updateUser({ ...user, displayName: 'Anna Maria' });
    expect(sessions.current()).toMatchObject({ token: 't2', user: { id: 'u2', email: 'ben@example.com' } });
    sessions.updateUser({ ...user, id: 'u2', displayName: 'Ben' });
    expect(sessions.current()).toMatchObject({ token: 't2', user: { displayName: 'Ben' } });
  });

  it('changes to other keys are nobody’s business', () => {
    const sessions = store(new MemoryStorage(), () => Promise.resolve(user));
    sessions.signIn('t1', user);
    sessions.storageChanged('favorites');
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
  });
});

describe('an end nobody asked for', () => {
  const endings = (sessions: SessionStore) => {
    const told: SessionEnding[] = [];
    sessions.onEnding((ending) => told.push(ending));
    return told;
  };

  it('is told once, also to whoever begins to listen after it', async () => {
    const sessions = store(signedIn(), () => Promise.reject(refusal));
    await sessions.verifyStored();
    expect(endings(sessions)).toEqual(['refused']);
    expect(endings(sessions)).toEqual([]);
  });

  it('is another one when the session was in use; calls that are refused together ask once', async () => {
    let asked = 0;
    const sessions = store(new MemoryStorage(), () => (asked++, Promise.reject(refusal)));
    const told = endings(sessions);
    sessions.signIn('t1', user);
    sessions.callWasRefused();
    sessions.callWasRefused();
    await expect.poll(() => sessions.current()).toEqual({ state: 'anonymous' });
    expect([asked, told]).toEqual([1, ['ended']]);
    sessions.callWasRefused();
    expect(asked, 'nobody is signed in any more').toBe(1);
  });

  it('has not come when the server knows the token after all', async () => {
    const sessions = store(new MemoryStorage(), () => Promise.resolve({ ...user, displayName: 'Newer' }));
    const told = endings(sessions);
    sessions.signIn('t1', user);
    sessions.callWasRefused();
    await expect.poll(() => sessions.current()).toMatchObject({ user: { displayName: 'Newer' } });
    expect(told).toEqual([]);
  });

  it('is not a sign-out, nor a visit without a session', async () => {
    const sessions = store(new MemoryStorage(), () => Promise.reject(refusal));
    const told = endings(sessions);
    await sessions.verifyStored();
    sessions.signIn('t1', user);
    sessions.signOut();
    expect(told).toEqual([]);
  });
});

it('an answer without an e-mail address is no user', () => {
  expect(mergeUser({ email: 'a@example.com' }, { displayName: 'A' })).toBeNull();
  expect(mergeUser({ displayName: 'A' }, { email: 'a@example.com' })).toEqual({
    email: 'a@example.com',
    displayName: 'A',
  });
});
