/** What this browser keeps of a signed-in user (specification, section 3, "Local browser storage"). */
import type { UserView } from '@alpenglow/domain/contracts';

export const TOKEN_KEY = 'vpsAuthToken';
export const USER_KEY = 'user';

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface StoredSession {
  readonly token: string;
  /** As it was stored, by this version or another: fields may be missing. */
  readonly user: Readonly<Record<string, unknown>>;
}

/** Null when nobody is signed in, or when what is stored is no session. */
export function readStoredSession(store: Store): StoredSession | null {
  const token = store.getItem(TOKEN_KEY);
  if (!token) return null;
  try {
    const user: unknown = JSON.parse(store.getItem(USER_KEY) ?? '{}');
    return typeof user === 'object' && user !== null && !Array.isArray(user) ? { token, user: { ...user } } : null;
  } catch {
    return null;
  }
}

export function writeStoredSession(store: Store, token: string, user: UserView): void {
  store.setItem(TOKEN_KEY, token);
  store.setItem(USER_KEY, JSON.stringify(user));
}

export function clearStoredSession(store: Store): void {
  store.removeItem(TOKEN_KEY);
  store.removeItem(USER_KEY);
}

/**
 * The server's user over the stored one (specification, section 4, "Authentication"). Null when the answer is no user.
 */
export function mergeUser(stored: Readonly<Record<string, unknown>>, fresh: unknown): UserView | null {
  const isUser =
    typeof fresh === 'object' &&
    fresh !== null &&
    'email' in fresh &&
    typeof fresh.email === 'string' &&
    fresh.email !== '';
  return isUser ? ({ ...stored, ...fresh } as Partial<UserView> as UserView) : null;
}
