import type { UserView } from '@alpenglow/domain/contracts';
import { ApiError } from '@alpenglow/ui';
import { describe, expect, it } from 'vitest';
import { SessionStore } from '../src/session/session-store.ts';
import { mergeUser, TOKEN_KEY, USER_KEY } from '../src/session/stored-session.ts';
import { MemoryStorage } from './memory-storage.ts';

const user = { id: 'u1', email: 'anna@example.com', userType: 'provider', displayName: 'Anna', age: 30 } as UserView;
const refusal = new ApiError('Token verification failed', { status: 401, code: 'AUTHENTICATION_REQUIRED' });
const unreachable = new ApiError('Network error - please check your connection', { status: 0, code: 'NETWORK' });

const signedIn = () => new MemoryStorage({ [TOKEN_KEY]: 't1', [USER_KEY]: JSON.stringify({ ...user, displayName: 'Old', favoriteColor: 'rose' }) });

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
    expect(sessions.current()).toEqual({ state: 'authenticated', token: 't1', user: { ...user, favoriteColor: 'rose' } });
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

  it('a sign-in in another tab is verified and followed', async () => {
    const storage = new MemoryStorage();
    const sessions = store(storage, () => Promise.resolve(user));
    storage.setItem(TOKEN_KEY, 't9');
    const changed = new Promise<void>((resolve) =>
      sessions.subscribe(() => {
        if (sessions.current().state === 'authenticated') resolve();
      }),
    );
    sessions.storageChanged(TOKEN_KEY);
    expect(sessions.current()).toEqual({ state: 'unknown' });
    await changed;
    expect(sessions.current()).toMatchObject({ token: 't9' });
  });

  it('changes to other keys are nobody’s business', () => {
    const sessions = store(new MemoryStorage(), () => Promise.resolve(user));
    sessions.signIn('t1', user);
    sessions.storageChanged('favorites');
    expect(sessions.current()).toMatchObject({ state: 'authenticated' });
  });
});

it('an answer without an e-mail address is no user', () => {
  expect(mergeUser({ email: 'a@example.com' }, { displayName: 'A' })).toBeNull();
  expect(mergeUser({ displayName: 'A' }, { email: 'a@example.com' })).toEqual({ email: 'a@example.com', displayName: 'A' });
});
