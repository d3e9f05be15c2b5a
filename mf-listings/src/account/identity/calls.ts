import { queryOptions } from '@tanstack/react-query';
import type { IdentityAnswer } from '@alpenglow/domain/contracts';
import type { Api, UploadOptions } from '@alpenglow/ui';

export const identityKey = (viewer: string) => ['identity', viewer] as const;

/** The user's last request to be verified; null before the first. */
export function identityQuery(api: Api, viewer: string) {
  return queryOptions({
    queryKey: identityKey(viewer),
    queryFn: ({ signal }) => api.callSignedIn<IdentityAnswer>({ path: '/account/identity', signal }),
    select: ({ data }) => data,
  });
}

export const requestIdentityCheck = (api: Api, pictures: readonly File[], options: UploadOptions) =>
  api.uploadSignedIn<IdentityAnswer>('/account/identity', 'files', pictures, options);
