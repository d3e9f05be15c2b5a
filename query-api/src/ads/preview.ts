import { countContactDetails, hideContactDetailsInAd } from '@alpenglow/domain';
import { createOperationRouter, getInput } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { sendUncached } from '../send-uncached.ts';

/** The API operation that returns the texts of an ad as visitors see them, before the ad is posted. */
export function previewRoutes({ authentication }: Dependencies<'authentication'>) {
  return createOperationRouter().on('previewAd', async (req, res) => {
    await authentication.require(req);
    const texts = getInput(req);
    const data = { texts: hideContactDetailsInAd(texts), hidden: countContactDetails(texts) };
    sendUncached(res, { success: true, data });
  });
}
