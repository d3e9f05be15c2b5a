import {
  account,
  DomainError,
  MODERATOR_CONFIRMATION_LIFETIME_ms,
  STAFF_CONFIRMATION_LIFETIME_ms,
  STAFF_IDLE_TIMEOUT_ms,
  STAFF_SESSION_LIFETIME_ms,
  toUserView,
  type RegisteredAccount,
  type UserView,
} from '@alpenglow/domain';
import type { Request } from 'express';
import type { Session } from '../adapters/postgres/session-rows.ts';
import type { Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler } from '../service/command-handler.ts';

/** The signed-in caller of a request. */
export interface Principal {
  /** The token of the request. Empty for a caller with a ticket of the live channel. */
  readonly token: string;
  readonly sessionId: string;
  readonly account: RegisteredAccount;
  /**
   * The caller's account with its permissions. If a required two-step sign-in is missing, the account has no staff role
   * here.
   */
  readonly user: UserView;
  /** True if the account uses two-step sign-in. The session was then confirmed with a code or by setting it up. */
  readonly hasPassedTwoStep: boolean;
  /** True if the account has a staff role that `user` does not contain, because it does not use two-step sign-in. */
  readonly isRoleWithheld: boolean;
  /** The time since the password was last entered in this session. */
  readonly confirmedAge_ms: number;
}

export type Authentication = ReturnType<typeof createAuthentication>;

/** The use of a session is recorded if the last recorded use is older than this time. */
const USE_RECORD_INTERVAL_ms = 60_000;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const BEARER = /^Bearer ([\w-]{1,200})$/iu;

export function createAuthentication(deps: {
  readonly sessions: Sessions;
  readonly commands: CommandHandler;
  readonly adminEmail: string | null;
  /** True if the role of staff has an effect only after two-step sign-in. */
  readonly staffTwoStep: boolean;
}) {
  async function loadPrincipal(token: string, session: Session | null): Promise<Principal | null> {
    if (!session) return null;
    const { state } = await deps.commands.load(account, session.accountId);
    if (state?.passwordVersion !== session.passwordVersion) return null;
    const hasPassedTwoStep = state.twoStep !== null;
    // The session was opened before two-step sign-in was switched on, possibly by another person.
    if (hasPassedTwoStep && state.twoStepVersion !== session.twoStepVersion) return null;
    const user = toUserView(state, deps.adminEmail);
    if (user.isModerator && hasStaffSessionEnded(session)) return null;
    if (session.idle_ms > USE_RECORD_INTERVAL_ms)
      // A failure is harmless, because the next request tries to record the use again.
      deps.sessions.touch(session.sessionId).catch(() => undefined);
    const isRoleWithheld = deps.staffTwoStep && user.isModerator && !hasPassedTwoStep;
    return {
      token,
      sessionId: session.sessionId,
      account: state,
      user: isRoleWithheld ? { ...user, isAdmin: false, isModerator: false } : user,
      hasPassedTwoStep,
      isRoleWithheld,
      confirmedAge_ms: session.confirmedAge_ms,
    };
  }
  /** The session and the caller of each request. They are cached per request, because several handlers need them. */
  const sessions = new WeakMap<Request, Promise<Session | null>>();
  const principals = new WeakMap<Request, Promise<Principal | null>>();
  function findSession(req: Request): Promise<Session | null> {
    const existing = sessions.get(req);
    if (existing) return existing;
    const token = readToken(req);
    const session = token === null ? Promise.resolve(null) : deps.sessions.find(token);
    sessions.set(req, session);
    return session;
  }
  async function require(req: Request): Promise<Principal> {
    const existing = principals.get(req);
    const principal = existing ?? findSession(req).then((session) => loadPrincipal(readToken(req) ?? '', session));
    if (!existing) principals.set(req, principal);
    return requireSignedIn(await principal);
  }
  return {
    /**
     * Returns the session of a request, or null if the request has no valid token. The account of the session is not
     * loaded, so the session may have ended by a change of the password.
     */
    findSession,
    /** Returns the signed-in account of a session token, or null if the token is invalid. */
    findByToken: async (token: string): Promise<Principal | null> =>
      loadPrincipal(token, await deps.sessions.find(token)),
    /** Uses up a ticket of the live channel. Returns the signed-in account, or null if the ticket is invalid. */
    findByLiveTicket: async (ticket: string): Promise<Principal | null> =>
      loadPrincipal('', await deps.sessions.redeemLiveTicket(ticket)),
    /**
     * Returns the ids of the given sessions that are still valid. The accounts need not be loaded: a change of the
     * password or of the two-step sign-in deletes the sessions that it ends, so these are not found any more.
     */
    async findValidSessionIds(
      sessions: readonly { readonly sessionId: string; readonly isStaff: boolean }[],
    ): Promise<ReadonlySet<string>> {
      const staff = new Set(sessions.flatMap(({ sessionId, isStaff }) => (isStaff ? [sessionId] : [])));
      const found = await deps.sessions.findByIds([...new Set(sessions.map(({ sessionId }) => sessionId))]);
      const valid = found.filter((session) => !staff.has(session.sessionId) || !hasStaffSessionEnded(session));
      return new Set(valid.map(({ sessionId }) => sessionId));
    },
    /**
     * Returns the caller of a request with the header `Authorization: Bearer <token>`. Throws AUTHENTICATION_REQUIRED
     * if the session is invalid. A session becomes invalid when the password is changed or the account is closed.
     */
    require,
    /**
     * Returns the caller and the result of `read`. Both are loaded in parallel to save time. If the session is invalid,
     * throws AUTHENTICATION_REQUIRED and discards the result of `read`.
     */
    async requireAndRead<T>(req: Request, read: (accountId: string) => Promise<T>): Promise<readonly [Principal, T]> {
      const session = findSession(req).then(requireSignedIn);
      return Promise.all([require(req), session.then(({ accountId }) => read(accountId))]);
    },
    /**
     * Returns the caller if it is an admin. Throws AUTHENTICATION_REQUIRED, ONLY_ADMINS or TWO_STEP_NOT_SET_UP. Throws
     * CONFIRMATION_REQUIRED for a write if the password was not entered within the last 30 minutes.
     */
    async requireAdmin(req: Request): Promise<Principal> {
      const principal = await require(req);
      if (principal.isRoleWithheld && toUserView(principal.account, deps.adminEmail).isAdmin)
        throw new DomainError('TWO_STEP_NOT_SET_UP');
      if (!principal.user.isAdmin) throw new DomainError('ONLY_ADMINS');
      requireConfirmation(req, principal, STAFF_CONFIRMATION_LIFETIME_ms);
      return principal;
    },
    /**
     * Returns the caller if it is a moderator or an admin. Throws AUTHENTICATION_REQUIRED, ONLY_MODERATORS or
     * TWO_STEP_NOT_SET_UP. Throws CONFIRMATION_REQUIRED for a write if the password was not entered within the last
     * four hours.
     */
    async requireModerator(req: Request): Promise<Principal> {
      const principal = await require(req);
      if (principal.isRoleWithheld) throw new DomainError('TWO_STEP_NOT_SET_UP');
      if (!principal.user.isModerator) throw new DomainError('ONLY_MODERATORS');
      requireConfirmation(req, principal, MODERATOR_CONFIRMATION_LIFETIME_ms);
      return principal;
    },
    /**
     * Returns the signed-in caller of a request, or null if the request has no `Authorization` header. Throws
     * AUTHENTICATION_REQUIRED if the header is invalid.
     */
    findPrincipal: async (req: Request): Promise<Principal | null> =>
      req.get('authorization') === undefined ? null : require(req),
  };
}

function readToken(req: Request): string | null {
  return BEARER.exec(req.get('authorization') ?? '')?.[1] ?? null;
}

function requireConfirmation({ method }: Request, { confirmedAge_ms }: Principal, lifetime_ms: number): void {
  if (!READS.has(method) && confirmedAge_ms > lifetime_ms) throw new DomainError('CONFIRMATION_REQUIRED');
}

/** Checks whether the session of a member of staff is unused or open for too long. */
function hasStaffSessionEnded({ idle_ms, confirmedAge_ms }: Session): boolean {
  return idle_ms > STAFF_IDLE_TIMEOUT_ms || confirmedAge_ms > STAFF_SESSION_LIFETIME_ms;
}

function requireSignedIn<T>(found: T | null): T {
  if (found === null) throw new DomainError('AUTHENTICATION_REQUIRED');
  return found;
}
