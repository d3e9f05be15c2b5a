import { AD_ID_PATTERN, AD_VIEW_GUESTS_MAX, AD_VIEW_WINDOW_ms } from '@alpenglow/domain';
import { createOperationRouter, toNetworkKey } from '@alpenglow/infra';
import type { Request } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { sendUncached } from '../send-uncached.ts';
import type { AdReader } from './ad-reader.ts';
import type { ViewCounter } from './view-counter.ts';

const WINDOW_s = AD_VIEW_WINDOW_ms / 1000;
const MAX_USER_AGENT_characters = 512;

interface ViewDependencies extends Dependencies<'authentication' | 'hashKey' | 'sharedCounters'> {
  readonly ads: AdReader;
  readonly views: ViewCounter;
}

/** The API operation that counts a view of an ad (R-7.91). */
export function viewRoutes({ ads, authentication, hashKey, sharedCounters, views }: ViewDependencies) {
  /** Counts the views of an ad by a visitor, or by the guests of a network, in the current time window. */
  async function addView(adId: string, viewer: string): Promise<number> {
    // One hash contains ad and viewer, so that the stored keys do not show which ads the same viewer has opened.
    const { count } = await sharedCounters.add(`view:${hashKey(`view\0${adId}\0${viewer}`)}`, 1, WINDOW_s);
    return count;
  }

  async function countsAsView(req: Request, adId: string, accountId: string | null): Promise<boolean> {
    if (accountId !== null) return (await addView(adId, accountId)) === 1;
    const network = toNetworkKey(req.ip);
    const userAgent = (req.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_characters);
    // A client can send any user agent. So the number of guests with the same network address is limited too.
    return (
      (await addView(adId, `${network} ${userAgent}`)) === 1 && (await addView(adId, network)) <= AD_VIEW_GUESTS_MAX
    );
  }

  return createOperationRouter().on('countView', async (req, res) => {
    const { id } = req.params;
    const principal = await authentication.findPrincipal(req);
    const accountId = principal?.account.accountId ?? null;
    const ownerId = AD_ID_PATTERN.test(id) ? await ads.findOwner(id) : null;
    if (ownerId !== null && ownerId !== accountId && (await countsAsView(req, id, accountId))) views.count(id);
    sendUncached(res, { success: true, message: 'Noted' });
  });
}
