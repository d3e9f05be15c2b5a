import { account, DomainError, userView, type RegisteredAccount, type UserView } from '@alpenglow/domain';
import type { Request } from 'express';
import type { Sessions } from '../adapters/postgres/sessions.ts';
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
  async function byToken(token: string): Promise<Principal | null> {
    const session = await deps.sessions.find(token);
    if (!session) return null;
    const { state } = await deps.commands.load(account, session.accountId);
    if (state?.passwordVersion !== session.passwordVersion) return null;
    return { token, account: state, user: userView(state, deps.adminEmail) };
  }
  /** Who is asking is looked up once for each request, however many handlers want to know. */
  const known = new WeakMap<Request, Promise<Principal | null>>();
  function find(req: Request): Promise<Principal | null> {
    const token = BEARER.exec(req.get('authorization') ?? '')?.[1];
    const finding = known.get(req) ?? (token === undefined ? Promise.resolve(null) : byToken(token));
    known.set(req, finding);
    return finding;
  }
  async function require(req: Request): Promise<Principal> {
    const principal = await find(req);
    if (!principal) throw new DomainError('AUTHENTICATION_REQUIRED');
    return principal;
  }
  return {
    byToken,
    require,
    async requireAdmin(req) {
      const principal = await require(req);
      if (!principal.user.isAdmin) throw new DomainError('ONLY_ADMINS');
      return principal;
    },
    optional: async (req) => (req.get('authorization') === undefined ? null : require(req)),
  };
}
