import { createOperationRouter, waitForPosition } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { CARD_READ_MODELS } from '../ads/card-view.ts';
import { getCacheableQuery, sendCachedResponse } from '../send-cached-response.ts';
import type { SearchResponses } from './search-responses.ts';

/** `GET /search`: searches community threads, blog articles and ads. */
export function searchRoutes({
  responses,
  progress,
}: Dependencies<'progress'> & { readonly responses: SearchResponses }) {
  const router = createOperationRouter();
  router.on(
    'search',
    waitForPosition(progress, ['community_threads', 'community_posts', 'articles', 'ad_details', ...CARD_READ_MODELS]),
    (req, res) => sendCachedResponse(req, res, responses.search(getCacheableQuery(req))),
  );
  return router;
}
