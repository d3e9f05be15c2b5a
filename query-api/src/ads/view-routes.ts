import { AD_ID_PATTERN, AD_VIEW_WINDOW_ms, type EmptyResultResponse } from '@alpenglow/domain';
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
  /** Returns true if this is the first view of the ad by the visitor in the current time window. */
  async function isFirstView(adId: string, visitor: string): Promise<boolean> {
    // One hash contains ad and visitor, so that the stored keys do not show which ads the same visitor has opened.
    const { count } = await sharedCounters.add(`view:${hashKey(`view\0${adId}\0${visitor}`)}`, 1, WINDOW_s);
    return count === 1;
  }

  return createOperationRouter().on('countView', async (req, res) => {
    const { id } = req.params;
    const principal = await authentication.findPrincipal(req);
    const accountId = principal?.account.accountId ?? null;
    const ownerId = AD_ID_PATTERN.test(id) ? await ads.findOwner(id) : null;
    if (ownerId !== null && ownerId !== accountId && (await isFirstView(id, accountId ?? describeGuest(req))))
      views.count(id);
    sendUncached<EmptyResultResponse>(res, { success: true, message: 'Noted' });
  });
}

/**
 * Returns what distinguishes a visitor without an account from others: the network and the browser. The text contains a
 * network address, so only its hash is stored.
 */
function describeGuest(req: Pick<Request, 'ip' | 'get'>): string {
  const userAgent = (req.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_characters);
  return `${toNetworkKey(req.ip)} ${userAgent}`;
}
