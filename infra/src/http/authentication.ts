import { account, DomainError, userView, type RegisteredAccount, type UserView } from '@alpenglow/domain';
import type { Request } from 'express';
import type { Session, Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler } from '../command-handling.ts';

/** Who is asking. */
export interface Principal {
  readonly token: string;
  readonly account: RegisteredAccount;
  readonly user: UserView;
}

export interface Authentication {
  /**
   * The signed-in account of a request with `Authorization: Bearer <token>`. A session from before the password was changed is over, as is
   * that of a closed account. Throws AUTHENTICATION_REQUIRED.
   */
  require(req: Request): Promise<Principal>;
  /** As `require`, with what `read` reads of that account meanwhile; what it has read is of no use where the account turns out not to be signed in. */
  requireWith<T>(req: Request, read: (accountId: string) => Promise<T>): Promise<readonly [Principal, T]>;
  /** As `require`, of an admin. Throws AUTHENTICATION_REQUIRED, ONLY_ADMINS. */
  requireAdmin(req: Request): Promise<Principal>;
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
}): Authentication {
  async function principalOf(token: string, session: Session | null): Promise<Principal | null> {
    if (!session) return null;
    const { state } = await deps.commands.load(account, session.accountId);
    if (state?.passwordVersion !== session.passwordVersion) return null;
    return { token, account: state, user: userView(state, deps.adminEmail) };
  }
  /** Who is asking is looked up once for each request, however many handlers want to know. */
  const known = new WeakMap<Request, { readonly session: Promise<Session | null>; readonly principal: Promise<Principal | null> }>();
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
      if (!principal.user.isAdmin) throw new DomainError('ONLY_ADMINS');
      return principal;
    },
    optional: async (req) => (req.get('authorization') === undefined ? null : require(req)),
  };
}

function signedIn<T>(found: T | null): T {
  if (found === null) throw new DomainError('AUTHENTICATION_REQUIRED');
  return found;
}
