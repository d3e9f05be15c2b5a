import { DomainError } from '@alpenglow/domain';
import {
  ACCOUNTS,
  FAVORITES,
  createOperationRouter,
  getQuery,
  waitForPosition,
  type Principal,
  type RowOf,
} from '@alpenglow/infra';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import type { AdReader } from '../ads/ad-reader.ts';
import { readCards } from '../ads/cards-by-id.ts';
import { CARD_READ_MODELS } from '../ads/card-view.ts';
import { ADS_FOUND } from '../ads/list-responses.ts';

const USER_ID = /^[\w-]{1,64}$/u;

/**
 * `GET /favorites/{id}`: returns the favorite ads of an account. `id` is the id or the e-mail address of the
 * account.
 */
export function favoriteReadRoutes({
  pool,
  authentication,
  progress,
  createAccountId,
  hiddenAdIds,
  ads,
}: Dependencies<'pool' | 'authentication' | 'progress' | 'createAccountId' | 'hiddenAdIds'> & {
  readonly ads: AdReader;
}) {
  const router = createOperationRouter();

  /**
   * Returns the id of the requested account. Callers may request only their own account, and admins may request every
   * account. Throws USER_NOT_FOUND in all other cases, so that the error does not show whether an account exists.
   */
  async function requireReadable(userId: string, { account, user }: Principal): Promise<string> {
    const accountId = userId.includes('@') ? createAccountId(userId) : userId.trim().toLowerCase();
    // The id of a stand-in account does not follow from its address, so the address is compared too (decision 0055).
    if (accountId === account.accountId || accountId === createAccountId(account.email)) return account.accountId;
    if (!user.isAdmin || !(await isUser(accountId))) throw new DomainError('USER_NOT_FOUND');
    return accountId;
  }

  async function isUser(accountId: string): Promise<boolean> {
    if (!USER_ID.test(accountId)) return false;
    const { rowCount } = await pool.query({
      name: 'user-exists',
      text: `select from ${ACCOUNTS.table} where account_id = $1`,
      values: [accountId],
    });
    return rowCount === 1;
  }

  /** Reads the ids of the favorite ads of an account, the most recently added ad first. */
  async function readFavorites(accountId: string): Promise<readonly string[]> {
    const { rows } = await pool.query<Pick<RowOf<typeof FAVORITES>, 'ad_ids'>>({
      name: 'favorites-find',
      text: `select ad_ids from ${FAVORITES.table} where account_id = $1`,
      values: [accountId],
    });
    return rows[0]?.ad_ids ?? [];
  }

  router.on('listFavorites', waitForPosition(progress, ['favorites', ...CARD_READ_MODELS]), async (req, res) => {
    const principal = await authentication.require(req);
    const { details } = getQuery(req);
    const adIds = await readFavorites(await requireReadable(req.params.id, principal));
    const found = await readCards(
      pool,
      adIds.filter((adId) => !hiddenAdIds.includes(adId)),
    );
    const cards = adIds.flatMap((adId) => found.get(adId) ?? []);
    const data = details ? await ads.withDetails(cards) : cards;
    sendUncached(res, { success: true, message: ADS_FOUND, data: [...data], adIds });
  });

  return router;
}
