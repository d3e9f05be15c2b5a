/** Reads and stores the session and the data of the signed-in user in this browser. */
import type { UserView } from '@alpenglow/domain/contracts';
import { LOCAL_KEYS, parseObject } from '@alpenglow/ui';

export const TOKEN_KEY = LOCAL_KEYS.token;
export const USER_KEY = LOCAL_KEYS.user;

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface StoredSession {
  readonly token: string;
  /** The stored user. Another version of the site may have written it, so fields may be missing. */
  readonly user: Readonly<Record<string, unknown>>;
}

/** Checks whether a token is stored, even if the stored user is invalid. */
export function hasStoredToken(store: Store): boolean {
  return (store.getItem(TOKEN_KEY) ?? '') !== '';
}

/** Returns the stored session. Returns null if there is none or if it is invalid. */
export function readStoredSession(store: Store): StoredSession | null {
  const token = store.getItem(TOKEN_KEY);
  if (!token) return null;
  const user = parseObject(store.getItem(USER_KEY) ?? '{}');
  return user && { token, user };
}

export function writeStoredSession(store: Store, token: string, user: UserView): void {
  store.setItem(TOKEN_KEY, token);
  store.setItem(USER_KEY, JSON.stringify(user));
}

export function clearStoredSession(store: Store): void {
  store.removeItem(TOKEN_KEY);
  store.removeItem(USER_KEY);
}

/** Combines the stored user with the newer data of the server. Returns null if `fresh` is not a user. */
export function mergeUser(stored: Readonly<Record<string, unknown>>, fresh: unknown): UserView | null {
  const isUser =
    typeof fresh === 'object' &&
    fresh !== null &&
    'email' in fresh &&
    typeof fresh.email === 'string' &&
    fresh.email !== '';
  return isUser ? ({ ...stored, ...fresh } as Partial<UserView> as UserView) : null;
}
