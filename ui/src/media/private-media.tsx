import { createContext, use, type ReactNode } from 'react';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { isStockPicture, type ResponseOf } from '@alpenglow/domain/contracts';
import { useApi } from '../api/api-context.tsx';
import type { Api } from '../api/client.ts';
import { toQueryString } from '../api/query-string.ts';

/** The age at which an access token is replaced by a new token. The server accepts a token for 10 minutes. */
const TOKEN_AGE_MAX_ms = 8 * 60_000;

const PrivateMediaContext = createContext(false);

/**
 * Marks photos and videos in `children` as possibly private, for example uploads that no ad shows yet, or the photos of
 * a hidden ad. Every `Picture` in `children` then requests access before it loads the photo.
 */
export function PrivateMedia({
  isPrivate = true,
  children,
}: {
  readonly isPrivate?: boolean;
  readonly children: ReactNode;
}) {
  return <PrivateMediaContext value={isPrivate}>{children}</PrivateMediaContext>;
}

/** Checks whether the component is inside a `PrivateMedia` element. */
export function useIsPrivateMedia(): boolean {
  return use(PrivateMediaContext);
}

/** Returns the query for the token of a file. */
function mediaAccessQuery(api: Api, mediaId: string, isNeeded: boolean) {
  return queryOptions({
    queryKey: ['media-access', mediaId],
    queryFn: ({ signal }) =>
      api.requestWithToken<'getMediaAccess'>({ path: `/media/${encodeURIComponent(mediaId)}/access`, signal }),
    enabled: isNeeded && mediaId !== '' && !isStockPicture(mediaId),
    // A public file has no token. A decision can hide the file at any time, so this result is never reused.
    staleTime: ({ state }) => (state.data && state.data.access !== null ? TOKEN_AGE_MAX_ms : 0),
  });
}

interface AccessResult {
  readonly data: ResponseOf<'getMediaAccess'> | undefined;
  readonly isPending: boolean;
  readonly isEnabled: boolean;
}

/** Returns the query string for a file, e.g. `?access=…`. Returns null while the token is being requested. */
function createAccessQuery({ data, isPending, isEnabled }: AccessResult): string | null {
  if (!isEnabled) return '';
  return isPending ? null : toQueryString({ access: data?.access });
}

/**
 * Returns the query string that must be added to the URL of a photo or video, e.g. `?access=…`. Returns an empty text
 * outside a `PrivateMedia` element, for a public file, and if the user has no access to the file. Returns null while
 * the access is being requested, and for a null id.
 */
export function useMediaAccess(mediaId: string | null): string | null {
  const result = useQuery(mediaAccessQuery(useApi(), mediaId ?? '', useIsPrivateMedia()));
  return mediaId === null ? null : createAccessQuery(result);
}

const PHOTO_URL = /"(\/uploads\/photos\/([a-z0-9-]+)\/[\w.]+)(?=")/gu;

/** Adds tokens to the URLs of photos in HTML from the server. Photos without a token yet have no URL. */
export function usePrivateHtml(html: string): string {
  const api = useApi();
  const isPrivate = useIsPrivateMedia();
  const ids = [...new Set(Array.from(html.matchAll(PHOTO_URL), ([, , id = '']) => id))];
  const results = useQueries({ queries: ids.map((id) => mediaAccessQuery(api, id, isPrivate)) });
  return html.replaceAll(PHOTO_URL, (_, url: string, id: string) => {
    const result = results[ids.indexOf(id)];
    const access = result ? createAccessQuery(result) : '';
    return access === null ? '"' : `"${url}${access}`;
  });
}

/**
 * Returns the URL with which a photo or video can be loaded. `url` is its URL for visitors. Inside a `PrivateMedia`
 * element, the URL contains a token. Returns null while the access is being requested, and for a null id.
 */
export function useMediaUrl(mediaId: string | null, url: string): string | null {
  const access = useMediaAccess(mediaId);
  return access === null ? null : `${url}${access}`;
}
