import { ApiError, isApiError, type Session } from '@alpenglow/ui';
import type { UserView } from '@alpenglow/domain/contracts';
import type { FormerUser } from './personal-entries.ts';
import {
  TOKEN_KEY,
  USER_KEY,
  clearStoredSession,
  hasStoredToken,
  mergeUser,
  readStoredSession,
  writeStoredSession,
} from './stored-session.ts';

export interface SessionStoreDependencies {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Returns the user to whom a token belongs. Rejects with one of `REJECTION_CODES` if the token is invalid. */
  readonly verify: (token: string) => Promise<unknown>;
  /**
   * Called when a session ends on this page without `leave`, or when another user replaces it. `user` is null if
   * another tab has ended it.
   */
  readonly onUserLeft?: (user: FormerUser | null) => void;
  /** Waiting times between attempts in milliseconds, used while the server cannot be reached. */
  readonly retryWaits_ms?: readonly number[];
  /** Waiting time before a session is verified again that could not be verified. */
  readonly recheckWait_ms?: number;
}

/**
 * The reason why a session ended without a logout. `refused` means that the stored token was invalid at the first
 * check. `ended` means that the token became invalid during use.
 */
export type SessionEnding = 'refused' | 'ended';

const RECHECK_WAIT_ms = 10_000;
const UNKNOWN: Session = { state: 'unknown' };
const ANONYMOUS: Session = { state: 'anonymous' };

/**
 * The session of the visitor, which all tabs of a browser share. Its state is `unknown` until the
 * stored token has been verified. After that, the state is `authenticated` or `anonymous`.
 */
export class SessionStore {
  readonly #dependencies: SessionStoreDependencies;
  readonly #listeners = new Set<() => void>();
  readonly #endingListeners = new Set<(ending: SessionEnding) => void>();
  /**
   * The reason for a session end that no listener has received yet. The first listener receives this reason when it
   * subscribes.
   */
  #pendingEnding: SessionEnding | null = null;
  #session: Session;
  /**
   * The number of verifications and session changes so far. If this number changes during a verification, the response
   * is outdated and is ignored.
   */
  #sequence = 0;
  #isChecking = false;
  #hasEnded = false;
  /** True while the browser leaves the page. The session on this page does not change during this time. */
  #isLeaving = false;

  constructor(dependencies: SessionStoreDependencies) {
    this.#dependencies = dependencies;
    this.#session = hasStoredToken(dependencies.storage) ? UNKNOWN : ANONYMOUS;
  }

  readonly current = (): Session => this.#session;

  /** True after a session has ended without a logout, until the next login. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Calls `listener` when a session ends without a logout. Also calls it if a session has ended before the first
   * subscription. Returns a function that unsubscribes.
   */
  readonly onEnding = (listener: (ending: SessionEnding) => void): (() => void) => {
    this.#endingListeners.add(listener);
    if (this.#pendingEnding) listener(this.#pendingEnding);
    this.#pendingEnding = null;
    return () => this.#endingListeners.delete(listener);
  };

  /**
   * Verifies the stored session with the server. The session ends if the stored user is invalid, if the server rejects
   * the token, or if it returns no valid user. If the server cannot be reached or fails, the session remains
   * with the stored user, and is verified again later.
   */
  async verifyStored(): Promise<void> {
    const { storage } = this.#dependencies;
    const wasInUse = this.#session.state === 'authenticated';
    const sequence = ++this.#sequence;
    const stored = readStoredSession(storage);
    if (!stored) {
      const hadToken = hasStoredToken(storage);
      if (hadToken) this.#end(wasInUse ? 'ended' : 'refused');
      else this.signOut();
      return;
    }
    const verified = await this.#verifyWithRetries(stored.token).then(
      (response) => ({ user: mergeUser(stored.user, response) }),
      (error: unknown) => (isRejection(error) ? { user: null } : null),
    );
    if (sequence !== this.#sequence) return;
    if (verified === null) {
      const storedUser = mergeUser({}, stored.user);
      // The same session is not set again, because each call of `#set` renders the page again.
      const isSame = this.#session.state === 'authenticated' && this.#session.token === stored.token;
      if (storedUser && !isSame) this.#set({ state: 'authenticated', token: stored.token, user: storedUser });
      this.#verifyLater(sequence);
      return;
    }
    if (verified.user) this.signIn(stored.token, verified.user);
    else this.#end(wasInUse ? 'ended' : 'refused');
  }

  /** Verifies the stored session again after some time, unless the session changes before. */
  #verifyLater(sequence: number): void {
    setTimeout(() => {
      if (sequence === this.#sequence) void this.verifyStored();
    }, this.#dependencies.recheckWait_ms ?? RECHECK_WAIT_ms);
  }

  /**
   * Handles an API request whose token was rejected. Verifies the stored session, because another tab may have replaced
   * the session. Concurrent calls cause one verification only.
   */
  readonly requestWasRejected = (): void => {
    if (this.#session.state !== 'authenticated' || this.#isChecking) return;
    this.#isChecking = true;
    void this.verifyStored().finally(() => (this.#isChecking = false));
  };

  async #verifyWithRetries(token: string): Promise<unknown> {
    const { verify, retryWaits_ms = [500, 2_000] } = this.#dependencies;
    for (const wait_ms of retryWaits_ms) {
      try {
        return await verify(token);
      } catch (error) {
        // Retries only if the server could not be reached or returned a server error.
        if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait_ms));
      }
    }
    return verify(token);
  }

  signIn(token: string, user: UserView): void {
    this.#sequence++;
    this.#hasEnded = false;
    if (this.#session.state === 'authenticated' && this.#session.user.id !== user.id)
      this.#dependencies.onUserLeft?.(this.#session.user);
    writeStoredSession(this.#dependencies.storage, token, user);
    this.#set({ state: 'authenticated', token, user });
  }

  /** Stores newer data of the signed-in user. Ignores the data of any other user. */
  readonly updateUser = (user: UserView): void => {
    if (this.#session.state === 'authenticated' && this.#session.user.id === user.id)
      this.signIn(this.#session.token, user);
  };

  signOut(): void {
    this.#sequence++;
    this.#dependencies.onUserLeft?.(this.#findUser());
    clearStoredSession(this.#dependencies.storage);
    this.#set(ANONYMOUS);
  }

  /**
   * Prepares a page load that ends the session. Removes the session from the browser, so that it also ends in other
   * tabs. This page stays unchanged until the browser leaves it.
   */
  leave(): void {
    this.#isLeaving = true;
    this.#sequence++;
    clearStoredSession(this.#dependencies.storage);
  }

  /** Handles the return to this page after `leave`, for example from the browser's page cache. */
  resume(): void {
    this.#isLeaving = false;
    this.storageChanged(null);
  }

  /**
   * Returns true if this browser still stores a session token. If the token was removed in this tab, for which the
   * browser reports no change, the session ends.
   */
  readonly hasStoredSession = (): boolean => {
    const isStored = hasStoredToken(this.#dependencies.storage);
    if (!isStored && this.#session.state === 'authenticated' && !this.#isLeaving) this.#end('ended');
    return isStored;
  };

  /** Handles a storage change by another tab. `key` is null if all entries may have changed. */
  readonly storageChanged = (key: string | null): void => {
    if (key !== null && key !== TOKEN_KEY && key !== USER_KEY) return;
    const stored = readStoredSession(this.#dependencies.storage);
    const token = this.#session.state === 'authenticated' ? this.#session.token : null;
    if (stored && stored.token === token) {
      const user = mergeUser({}, stored.user);
      if (user) this.#set({ state: 'authenticated', token, user });
      return;
    }
    if (!stored) {
      if (hasStoredToken(this.#dependencies.storage) && !this.#isLeaving) {
        // Another tab has stored invalid user data. The session ends in every tab, as at the start.
        this.#end('refused');
        return;
      }
      this.#sequence++;
      if (this.#session.state === 'anonymous') return;
      if (!this.#isLeaving) this.#dependencies.onUserLeft?.(null);
      this.#set(ANONYMOUS);
      return;
    }
    // Another user has signed in, so the state is `unknown` until the new token is verified. The state therefore never
    // changes directly from one user to another.
    if (this.#session.state === 'authenticated') this.#set(UNKNOWN);
    void this.verifyStored();
  };

  /** Returns the user of the session or, if the session is not verified, the stored user. */
  #findUser(): FormerUser {
    if (this.#session.state === 'authenticated') return this.#session.user;
    const { id, email, isProvider } = readStoredSession(this.#dependencies.storage)?.user ?? {};
    return {
      id: typeof id === 'string' ? id : undefined,
      email: typeof email === 'string' ? email : undefined,
      isProvider: isProvider === true,
    };
  }

  /** Signs the user out and reports the reason. */
  #end(ending: SessionEnding): void {
    this.#hasEnded = true;
    this.signOut();
    if (this.#endingListeners.size === 0) this.#pendingEnding = ending;
    for (const listener of this.#endingListeners) listener(ending);
  }

  #set(session: Session): void {
    if (this.#isLeaving) return;
    this.#session = session;
    for (const listener of this.#listeners) listener();
  }
}

/** The codes with which the API rejects a token. */
const REJECTION_CODES: ReadonlySet<string> = new Set(['AUTHENTICATION_REQUIRED', 'TOKEN_VERIFICATION_FAILED']);

/**
 * Checks whether the API has rejected a token. Any other error says nothing about the token. A proxy may also respond
 * with status 401 or 403, but not with these codes.
 */
const isRejection = (error: unknown): boolean => isApiError(error) && REJECTION_CODES.has(error.code);
