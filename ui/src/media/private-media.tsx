import { createContext, use, type ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { isStockPicture, type MediaAccessResponse } from '@alpenglow/domain/contracts';
import { useApi } from '../api/api-context.tsx';

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

/**
 * Returns the query string that must be added to the URL of a photo or video, e.g. `?access=…`. Returns an empty text
 * outside a `PrivateMedia` element, for a public file, and if the user has no access to the file. Returns null while
 * the access is being requested, and for a null id.
 */
export function useMediaAccess(mediaId: string | null): string | null {
  const api = useApi();
  const needsToken = useIsPrivateMedia() && mediaId !== null && !isStockPicture(mediaId);
  const { data, isError } = useQuery({
    queryKey: ['media-access', mediaId],
    queryFn: ({ signal }) =>
      api.requestWithToken<MediaAccessResponse>({ path: `/media/${encodeURIComponent(mediaId ?? '')}/access`, signal }),
    enabled: needsToken,
    staleTime: TOKEN_AGE_MAX_ms,
  });
  if (mediaId === null) return null;
  if (!needsToken || isError) return '';
  if (!data) return null;
  return data.access === null ? '' : `?access=${encodeURIComponent(data.access)}`;
}

/**
 * Returns the URL with which a photo or video can be loaded. `url` is its URL for visitors. Inside a `PrivateMedia`
 * element, the URL contains a token. Returns null while the access is being requested, and for a null id.
 */
export function useMediaUrl(mediaId: string | null, url: string): string | null {
  const access = useMediaAccess(mediaId);
  return access === null ? null : `${url}${access}`;
}
