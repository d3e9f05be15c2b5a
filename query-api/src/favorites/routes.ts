import { DomainError, type FavoritesAnswer } from '@alpenglow/domain';
import {
  waitForPosition,
  type Authentication,
  type Pool,
  type Principal,
  type ReadModelProgress,
} from '@alpenglow/infra';
import { Router } from 'express';
import { readCards } from '../ads/cards-by-id.ts';

export interface FavoriteReadDependencies {
  readonly pool: Pool;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly accountIdOf: (email: string) => string;
  readonly hiddenAdIds: readonly string[];
}

const USER_ID = /^[\w-]{1,64}$/u;

/** `GET /favorites/{userId}` of the specification, section 7. The user is named by id or by e-mail. */
export function favoriteReadRoutes({
  pool,
  authentication,
  progress,
  accountIdOf,
  hiddenAdIds,
}: FavoriteReadDependencies): Router {
  const router = Router();

  /** The account meant. Throws USER_NOT_FOUND for anybody else's, whether there is one or not; an admin may ask for everybody's. */
  async function accountMeant(userId: string, { account, user }: Principal): Promise<string> {
    const named = userId.trim().toLowerCase();
    if (named === account.accountId || named === account.email) return account.accountId;
    const accountId = named.includes('@') ? accountIdOf(named) : named;
    if (!user.isAdmin || !(await isUser(accountId))) throw new DomainError('USER_NOT_FOUND');
    return accountId;
  }

  async function isUser(accountId: string): Promise<boolean> {
    if (!USER_ID.test(accountId)) return false;
    const { rowCount } = await pool.query({
      name: 'user-exists',
      text: 'select from rm.accounts where account_id = $1',
      values: [accountId],
    });
    return rowCount === 1;
  }

  /** Ids of the ads kept, the one added last first. */
  async function keptBy(accountId: string): Promise<readonly string[]> {
    const { rows } = await pool.query<{ ad_ids: readonly string[] }>({
      name: 'favorites-find',
      text: 'select ad_ids from rm.favorites where account_id = $1',
      values: [accountId],
    });
    return rows[0]?.ad_ids ?? [];
  }

  router.get<{ userId: string }>('/:userId', waitForPosition(progress, ['favorites', 'ad_cards']), async (req, res) => {
    const principal = await authentication.require(req);
    const adIds = await keptBy(await accountMeant(req.params.userId, principal));
    const cards = await readCards(
      pool,
      adIds.filter((adId) => !hiddenAdIds.includes(adId)),
    );
    const data = adIds.flatMap((adId) => cards.get(adId) ?? []);
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data, adIds } satisfies FavoritesAnswer);
  });

  return router;
}
