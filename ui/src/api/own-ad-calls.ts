/** Requests with which providers change their own ad. A bundle contains only those that it uses. */
import type { AdChanges, AdPreviewFields, AdView, NewAdFields } from '@alpenglow/domain/contracts';
import { createErrorFormatter, formatCreateAdError, formatGetAdError } from './api-error.ts';
import { adPath, type Api } from './client.ts';

/**
 * An ad with its revision. If another client has changed the ad since this revision, `updateAd` with this revision
 * fails.
 */
export interface AdToEdit {
  readonly ad: AdView;
  readonly revision: string | null;
}

/** Returns an ad with its revision. The edit form passes the revision to `updateAd`. */
export async function getAdToEdit(api: Api, id: string, signal?: AbortSignal): Promise<AdToEdit> {
  let revision: string | null = null;
  const { data: ad } = await api.request<'getAd'>({
    path: adPath(id),
    signal,
    formatMessage: formatGetAdError,
    onHeaders: (headers) => {
      revision = headers.get('etag');
    },
  });
  return { ad, revision };
}

/** Creates an ad. The client generates `clientId`, so that a retry does not create a second ad. */
export const createAd = (api: Api, fields: NewAdFields, clientId: string) =>
  api.requestWithToken<'postAd'>({
    method: 'POST',
    path: '/ads',
    body: { ...stateOfNewAd(clientId), ...fields },
    headers: { 'Idempotency-Key': clientId },
    formatMessage: formatCreateAdError,
  });

/**
 * Updates an ad. With a `revision`, the update fails with STALE if the ad has changed after this revision. With null,
 * the update overwrites the ad in every case.
 */
export const updateAd = (api: Api, id: string, changes: AdChanges, revision: string | null = null) =>
  api.requestWithToken<'updateAd'>({
    method: 'PUT',
    path: adPath(id),
    body: changes,
    ...(revision !== null && { headers: { 'If-Match': revision } }),
    formatMessage: createErrorFormatter('api.updateAdFailed'),
  });

/** Returns texts of an ad as visitors see them. */
export const previewAd = async (api: Api, texts: AdPreviewFields, signal?: AbortSignal) =>
  (await api.requestWithToken<'previewAd'>({ method: 'POST', path: '/ads/preview', body: texts, signal })).data;

export const deleteAd = (api: Api, id: string) =>
  api.requestWithToken<'deleteAd'>({
    method: 'DELETE',
    path: adPath(id),
    formatMessage: createErrorFormatter('api.deleteAdFailed'),
  });

export const bumpAd = (api: Api, id: string) =>
  api.requestWithToken<'bumpAd'>({
    method: 'POST',
    path: `${adPath(id)}/bump`,
    formatMessage: createErrorFormatter('api.bumpAdFailed'),
  });

/**
 * Returns the id and the state fields that a request for a new ad must contain. The server ignores the values
 * of the state fields and sets the state of the ad itself.
 */
function stateOfNewAd(id: string) {
  const now = new Date().toISOString();
  return {
    id,
    isActive: true,
    isFeatured: false,
    isDemo: false,
    verified: true,
    status: 'active',
    isOnline: true,
    lastBumpedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}
