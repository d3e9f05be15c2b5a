import { account, DomainError, toUserView, type RegisteredAccount, type UserView } from '@alpenglow/domain';
import type { Request } from 'express';
import type { Session, Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler } from '../service/command-handler.ts';

/** The signed-in caller of a request. */
export interface Principal {
  readonly token: string;
  readonly account: RegisteredAccount;
  /**
   * The caller's account with its permissions. If a required two-step sign-in is missing, the account has no staff role
   * here.
   */
  readonly user: UserView;
  /** True if the account uses two-step sign-in, and this session was confirmed with a code or by setting it up. */
  readonly hasPassedTwoStep: boolean;
  /**
   * True if the account has a staff role that `user` does not contain, because the session has not passed two-step
   * sign-in.
   */
  readonly isRoleWithheld: boolean;
}

export type Authentication = ReturnType<typeof createAuthentication>;

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
    const user = toUserView(state, deps.adminEmail);
    const hasPassedTwoStep = state.twoStep !== null && state.twoStepVersion === session.twoStepVersion;
    const isRoleWithheld = deps.staffTwoStep && user.isModerator && !hasPassedTwoStep;
    return {
      token,
      account: state,
      user: isRoleWithheld ? { ...user, isAdmin: false, isModerator: false } : user,
      hasPassedTwoStep,
      isRoleWithheld,
    };
  }
  /** The session and the caller of each request. They are cached per request, because several handlers need them. */
  const lookups = new WeakMap<
    Request,
    { readonly session: Promise<Session | null>; readonly principal: Promise<Principal | null> }
  >();
  function find(req: Request) {
    const existing = lookups.get(req);
    if (existing) return existing;
    const token = BEARER.exec(req.get('authorization') ?? '')?.[1];
    const session = token === undefined ? Promise.resolve(null) : deps.sessions.find(token);
    const lookup = { session, principal: session.then((found) => loadPrincipal(token ?? '', found)) };
    lookups.set(req, lookup);
    return lookup;
  }
  async function require(req: Request): Promise<Principal> {
    return requireSignedIn(await find(req).principal);
  }
  return {
    /** Returns the signed-in account of a session token, or null if the token is invalid. */
    findByToken: async (token: string): Promise<Principal | null> =>
      loadPrincipal(token, await deps.sessions.find(token)),
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
      const session = find(req).session.then(requireSignedIn);
      return Promise.all([require(req), session.then(({ accountId }) => read(accountId))]);
    },
    /** Returns the caller if it is an admin. Throws AUTHENTICATION_REQUIRED, ONLY_ADMINS or TWO_STEP_NOT_SET_UP. */
    async requireAdmin(req: Request): Promise<Principal> {
      const principal = await require(req);
      if (principal.isRoleWithheld && toUserView(principal.account, deps.adminEmail).isAdmin)
        throw new DomainError('TWO_STEP_NOT_SET_UP');
      if (!principal.user.isAdmin) throw new DomainError('ONLY_ADMINS');
      return principal;
    },
    /**
     * Returns the caller if it is a moderator or an admin. Throws AUTHENTICATION_REQUIRED, ONLY_MODERATORS or
     * TWO_STEP_NOT_SET_UP.
     */
    async requireModerator(req: Request): Promise<Principal> {
      const principal = await require(req);
      if (principal.isRoleWithheld) throw new DomainError('TWO_STEP_NOT_SET_UP');
      if (!principal.user.isModerator) throw new DomainError('ONLY_MODERATORS');
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

function requireSignedIn<T>(found: T | null): T {
  if (found === null) throw new DomainError('AUTHENTICATION_REQUIRED');
  return found;
}
