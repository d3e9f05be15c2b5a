import { account, DomainError, toUserView, type RegisteredAccount, type UserView } from '@alpenglow/domain';
import type { Request } from 'express';
import type { Session, Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler } from '../service/command-handler.ts';

/** The signed-in caller of a request. */
export interface Principal {
  readonly token: string;
  readonly account: RegisteredAccount;
  /** The caller's account with its permissions. A staff role is missing until a required two-step sign-in. */
  readonly user: UserView;
  /** True if two-step sign-in is set up, and the session has passed it or has set it up. */
  readonly hasPassedTwoStep: boolean;
  /**
   * True if the account has a staff role that `user` does not contain, because two-step sign-in is missing.
   */
  readonly isRoleWithheld: boolean;
}

export type Authentication = ReturnType<typeof createAuthentication>;

const BEARER = /^Bearer ([\w-]{1,200})$/iu;

export function createAuthentication(deps: {
  readonly sessions: Sessions;
  readonly commands: CommandHandler;
  readonly adminEmail: string | null;
  /** True if staff must pass two-step sign-in before their role has an effect. */
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
  /** The session and the caller of each request. They are cached, because several handlers of a request need them. */
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
    /** Returns the owner of a session token, or null if the token is invalid. */
    findByToken: async (token: string): Promise<Principal | null> =>
      loadPrincipal(token, await deps.sessions.find(token)),
    /**
     * Returns the caller of a request with `Authorization: Bearer <token>`. Throws AUTHENTICATION_REQUIRED if the
     * session is invalid. A session becomes invalid when the password is changed or the account is closed.
     */
    require,
    /**
     * Returns the caller and the result of `read`, which runs while the caller is loaded. If the session is invalid,
     * throws AUTHENTICATION_REQUIRED, and the result of `read` is discarded.
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
    /** Returns the caller, or null without an `Authorization` header. Throws if the header is invalid. */
    findPrincipal: async (req: Request): Promise<Principal | null> =>
      req.get('authorization') === undefined ? null : require(req),
  };
}

function requireSignedIn<T>(found: T | null): T {
  if (found === null) throw new DomainError('AUTHENTICATION_REQUIRED');
  return found;
}
