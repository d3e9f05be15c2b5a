import { ApiError, type Session } from '@alpenglow/ui';
import type { UserView } from '@alpenglow/domain/contracts';
import {
  TOKEN_KEY,
  USER_KEY,
  clearStoredSession,
  mergeUser,
  readStoredSession,
  writeStoredSession,
} from './stored-session.ts';

export interface SessionStoreDependencies {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Asks the server whose token it is; rejects when it is nobody's. */
  readonly verify: (token: string) => Promise<unknown>;
  /** Milliseconds between attempts while the server cannot be reached. */
  readonly retryWaits_ms?: readonly number[];
}

/** How a session came to its end without the visitor asking: its token was no good from the start, or went bad while it was used. */
export type SessionEnding = 'refused' | 'ended';

const UNKNOWN: Session = { state: 'unknown' };
const ANONYMOUS: Session = { state: 'anonymous' };

/**
 * Who the visitor is (specification, section 4, "Authentication"): unknown until a stored token has been verified, then
 * authenticated or anonymous. Every tab of the browser follows what another one does.
 */
export class SessionStore {
  readonly #dependencies: SessionStoreDependencies;
  readonly #listeners = new Set<() => void>();
  readonly #endingListeners = new Set<(ending: SessionEnding) => void>();
  /** Nobody has been told yet: it may happen before anybody listens. */
  #untoldEnding: SessionEnding | null = null;
  #session: Session;
  /** Counts what has been asked, so that a late answer to an old question is dropped. */
  #asked = 0;
  #isChecking = false;
  /** The page is being left: who it is shown to no longer changes. */
  #isLeaving = false;

  constructor(dependencies: SessionStoreDependencies) {
    this.#dependencies = dependencies;
    this.#session = readStoredSession(dependencies.storage) ? UNKNOWN : ANONYMOUS;
  }

  readonly current = (): Session => this.#session;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls back when a session ends unasked, also for one that did before; returns how to stop. */
  readonly onEnding = (listener: (ending: SessionEnding) => void): (() => void) => {
    this.#endingListeners.add(listener);
    if (this.#untoldEnding) listener(this.#untoldEnding);
    this.#untoldEnding = null;
    return () => this.#endingListeners.delete(listener);
  };

  /** Verifies what is stored. Anything but a clear yes ends the session. */
  async verifyStored(): Promise<void> {
    const { storage } = this.#dependencies;
    const wasInUse = this.#session.state === 'authenticated';
    const question = ++this.#asked;
    const stored = readStoredSession(storage);
    if (!stored) {
      this.signOut();
      return;
    }
    const answer = await this.#ask(stored.token).catch(() => null);
    if (question !== this.#asked) return;
    const user = mergeUser(stored.user, answer);
    if (user) {
      this.signIn(stored.token, user);
      return;
    }
    this.signOut();
    this.#tellEnding(wasInUse ? 'ended' : 'refused');
  }

  /**
   * A call was refused for its token. Whether that was the visitor's session of now, and not one that another tab has replaced, is
   * asked of the server; any number of calls ask once.
   */
  readonly callWasRefused = (): void => {
    if (this.#session.state !== 'authenticated' || this.#isChecking) return;
    this.#isChecking = true;
    void this.verifyStored().finally(() => (this.#isChecking = false));
  };

  async #ask(token: string): Promise<unknown> {
    const { verify, retryWaits_ms = [500, 2_000] } = this.#dependencies;
    for (const wait_ms of retryWaits_ms) {
      try {
        return await verify(token);
      } catch (error) {
        // Only a server that could not be reached, or is starting, is asked again.
        if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait_ms));
      }
    }
    return verify(token);
  }

  signIn(token: string, user: UserView): void {
    this.#asked++;
    writeStoredSession(this.#dependencies.storage, token, user);
    this.#set({ state: 'authenticated', token, user });
  }

  /** The server has said something newer about the signed-in user. An answer to somebody who is no longer that is dropped. */
  readonly updateUser = (user: UserView): void => {
    if (this.#session.state === 'authenticated' && this.#session.user.id === user.id)
      this.signIn(this.#session.token, user);
  };

  signOut(): void {
    this.#asked++;
    clearStoredSession(this.#dependencies.storage);
    this.#set(ANONYMOUS);
  }

  /** The page is about to be left for good: nothing of the session stays in the browser, and what stands until then stands still. Other tabs follow. */
  leave(): void {
    this.#isLeaving = true;
    this.#asked++;
    clearStoredSession(this.#dependencies.storage);
  }

  /** The browser shows again a page that had been left. */
  comeBack(): void {
    this.#isLeaving = false;
    this.storageChanged(null);
  }

  /** Another tab has changed the storage; `key` is null when all of it may have changed. */
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
      this.#asked++;
      if (this.#session.state !== 'anonymous') this.#set(ANONYMOUS);
      return;
    }
    // Nobody becomes somebody in one step, so that what stands on the page stays.
    if (this.#session.state === 'authenticated') this.#set(UNKNOWN);
    void this.verifyStored();
  };

  #tellEnding(ending: SessionEnding): void {
    if (this.#endingListeners.size === 0) this.#untoldEnding = ending;
    for (const listener of this.#endingListeners) listener(ending);
  }

  #set(session: Session): void {
    if (this.#isLeaving) return;
    this.#session = session;
    for (const listener of this.#listeners) listener();
  }
}
