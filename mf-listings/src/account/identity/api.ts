import { queryOptions } from '@tanstack/react-query';
import type { ResponseOf } from '@alpenglow/domain/contracts';
import { uploadFiles, type Api, type UploadOptions } from '@alpenglow/ui';

export const identityKey = (viewer: string) => ['identity', viewer] as const;

/** Creates the query for the user's latest identity verification request. The result is null if there is no request. */
export function identityQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: identityKey(viewer),
    queryFn: ({ signal }) => api.requestWithToken<'getIdentityCheck'>({ path: '/account/identity', signal }),
    select: ({ data }) => data,
  });
}

export const requestIdentityCheck = (api: Api, pictures: readonly File[], options: UploadOptions) =>
  uploadFiles<ResponseOf<'getIdentityCheck'>>(api, '/account/identity', 'files', pictures, options);
