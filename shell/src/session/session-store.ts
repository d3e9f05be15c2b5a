import { ApiError, type Session } from '@alpenglow/ui';
import type { UserView } from '@alpenglow/domain/contracts';
import { TOKEN_KEY, clearStoredSession, mergeUser, readStoredSession, writeStoredSession } from './stored-session.ts';

export interface SessionStoreDependencies {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** Asks the server whose token it is; rejects when it is nobody's. */
  readonly verify: (token: string) => Promise<unknown>;
  /** Milliseconds between attempts while the server cannot be reached. */
  readonly retryWaits_ms?: readonly number[];
}

const UNKNOWN: Session = { state: 'unknown' };
const ANONYMOUS: Session = { state: 'anonymous' };

/**
 * Who the visitor is (specification, section 4, "Authentication"): unknown until a stored token has been verified, then
 * authenticated or anonymous. Every tab of the browser follows what another one does.
 */
export class SessionStore {
  readonly #dependencies: SessionStoreDependencies;
  readonly #listeners = new Set<() => void>();
  #session: Session;
  /** Counts what has been asked, so that a late answer to an old question is dropped. */
  #asked = 0;

  constructor(dependencies: SessionStoreDependencies) {
    this.#dependencies = dependencies;
    this.#session = readStoredSession(dependencies.storage) ? UNKNOWN : ANONYMOUS;
  }

  readonly current = (): Session => this.#session;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Verifies what is stored. Anything but a clear yes ends the session. */
  async verifyStored(): Promise<void> {
    const { storage } = this.#dependencies;
    const question = ++this.#asked;
    const stored = readStoredSession(storage);
    if (!stored) {
      this.signOut();
      return;
    }
    const answer = await this.#ask(stored.token).catch(() => null);
    if (question !== this.#asked) return;
    const user = mergeUser(stored.user, answer);
    if (user) this.signIn(stored.token, user);
    else this.signOut();
  }

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

  /** The server has said something newer about the signed-in user. */
  readonly updateUser = (user: UserView): void => {
    if (this.#session.state === 'authenticated') this.signIn(this.#session.token, user);
  };

  signOut(): void {
    this.#asked++;
    clearStoredSession(this.#dependencies.storage);
    this.#set(ANONYMOUS);
  }

  /** Another tab has changed the storage; `key` is null when it cleared all of it. */
  readonly storageChanged = (key: string | null): void => {
    if (key !== null && key !== TOKEN_KEY) return;
    const stored = readStoredSession(this.#dependencies.storage);
    const token = this.#session.state === 'authenticated' ? this.#session.token : null;
    if (stored?.token === token) return;
    if (!stored) {
      this.#asked++;
      this.#set(ANONYMOUS);
      return;
    }
    this.#set(UNKNOWN);
    void this.verifyStored();
  };

  #set(session: Session): void {
    this.#session = session;
    for (const listener of this.#listeners) listener();
  }
}
