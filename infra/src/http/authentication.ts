import { account, DomainError, userView, type RegisteredAccount, type UserView } from '@alpenglow/domain';
import type { Request } from 'express';
import type { Session, Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler } from '../command-handling.ts';

/** Who is asking. */
export interface Principal {
  readonly token: string;
  readonly account: RegisteredAccount;
  /** What they may do now. It says neither admin nor moderator while a role waits for two-step sign-in. */
  readonly user: UserView;
  /** The session was opened with a code of two-step sign-in that is on now, or switched it on. */
  readonly hasPassedTwoStep: boolean;
  /** A role they have says more than `user`: two-step sign-in comes first. */
  readonly isRoleWithheld: boolean;
}

export interface Authentication {
  /**
   * The signed-in account of a request with `Authorization: Bearer <token>`. A session from before the password was changed is over, as is
   * that of a closed account. Throws AUTHENTICATION_REQUIRED.
   */
  require(req: Request): Promise<Principal>;
  /** As `require`, with what `read` reads of that account meanwhile; what it has read is of no use where the account turns out not to be signed in. */
  requireWith<T>(req: Request, read: (accountId: string) => Promise<T>): Promise<readonly [Principal, T]>;
  /** As `require`, of an admin. Throws AUTHENTICATION_REQUIRED, ONLY_ADMINS, TWO_STEP_NOT_SET_UP. */
  requireAdmin(req: Request): Promise<Principal>;
  /** As `require`, of a moderator; every admin is one. Throws AUTHENTICATION_REQUIRED, ONLY_MODERATORS, TWO_STEP_NOT_SET_UP. */
  requireModerator(req: Request): Promise<Principal>;
  /** As `require`, but null for a request without the header. A header that is wrong is still refused. */
  optional(req: Request): Promise<Principal | null>;
  /** Whose token this is, or null. */
  byToken(token: string): Promise<Principal | null>;
}

const BEARER = /^Bearer ([\w-]{1,200})$/iu;

export function createAuthentication(deps: {
  readonly sessions: Sessions;
  readonly commands: CommandHandler;
  readonly adminEmail: string | null;
  /** What a role allows waits until its bearer has passed two-step sign-in. */
  readonly staffTwoStep: boolean;
}): Authentication {
  async function principalOf(token: string, session: Session | null): Promise<Principal | null> {
    if (!session) return null;
    const { state } = await deps.commands.load(account, session.accountId);
    if (state?.passwordVersion !== session.passwordVersion) return null;
    const user = userView(state, deps.adminEmail);
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
  /** Who is asking is looked up once for each request, however many handlers want to know. */
  const known = new WeakMap<
    Request,
    { readonly session: Promise<Session | null>; readonly principal: Promise<Principal | null> }
  >();
  function find(req: Request) {
    const before = known.get(req);
    if (before) return before;
    const token = BEARER.exec(req.get('authorization') ?? '')?.[1];
    const session = token === undefined ? Promise.resolve(null) : deps.sessions.find(token);
    const finding = { session, principal: session.then((found) => principalOf(token ?? '', found)) };
    known.set(req, finding);
    return finding;
  }
  async function require(req: Request): Promise<Principal> {
    return signedIn(await find(req).principal);
  }
  return {
    byToken: async (token) => principalOf(token, await deps.sessions.find(token)),
    require,
    async requireWith(req, read) {
      const session = find(req).session.then(signedIn);
      return Promise.all([require(req), session.then(({ accountId }) => read(accountId))]);
    },
    async requireAdmin(req) {
      const principal = await require(req);
      if (principal.isRoleWithheld && userView(principal.account, deps.adminEmail).isAdmin)
        throw new DomainError('TWO_STEP_NOT_SET_UP');
      if (!principal.user.isAdmin) throw new DomainError('ONLY_ADMINS');
      return principal;
    },
    async requireModerator(req) {
      const principal = await require(req);
      if (principal.isRoleWithheld) throw new DomainError('TWO_STEP_NOT_SET_UP');
      if (!principal.user.isModerator) throw new DomainError('ONLY_MODERATORS');
      return principal;
    },
    optional: async (req) => (req.get('authorization') === undefined ? null : require(req)),
  };
}

function signedIn<T>(found: T | null): T {
  if (found === null) throw new DomainError('AUTHENTICATION_REQUIRED');
  return found;
}
