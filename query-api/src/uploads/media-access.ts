import {
  DomainError,
  isStockPicture,
  isUploadedBy,
  media,
  MEDIA_ID,
  type MediaRecord,
  type RegisteredAccount,
} from '@alpenglow/domain';
import { createOperationRouter, getPath, parseQuery, waitForPosition, type MediaAudience } from '@alpenglow/infra';
import type { Request } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { recordRead } from '../record-read.ts';
import { sendUncached } from '../send-uncached.ts';
import { MEDIA_READ_MODELS, type MediaVisibility } from './media-visibility.ts';

/** Stock pictures never change and are always public. */
const CACHE_PERMANENTLY = 'public, max-age=31536000, immutable';
/**
 * A decision can end the visibility of a file at any time. Shared caches must therefore ask again after 2 s.
 * Browsers may show a picture that their user has already loaded for a minute.
 */
const CACHE_BRIEFLY = 'public, max-age=60, s-maxage=2, must-revalidate';
const DO_NOT_CACHE = 'private, no-store';

type GuardDependencies = Dependencies<'mediaAccessTokens'> & { readonly visibility: MediaVisibility };

/** The permission to load a file. */
export interface MediaPermission {
  /** The `Cache-Control` header of the response. */
  readonly cacheControl: string;
  /** True if the request has a token for staff, whose issue was logged. Only staff receive sealed files. */
  readonly isStaff: boolean;
  /**
   * True if visitors may load the file too, according to a decision that is at most 1 s old. Only then may a copy in
   * memory be sent, because all other files must stay unavailable from the moment of their removal on.
   */
  readonly isPublic: boolean;
}

/** Decides whether a request may load a file. */
export type MediaGuard = ReturnType<typeof createMediaGuard>;

/**
 * Creates a function that returns the permission of a request to load a file. The function throws NOT_FOUND if the file
 * is neither public nor requested with a valid token in the query parameter `access`. It throws
 * UNAVAILABLE if the read models are too old to decide.
 */
export function createMediaGuard({ visibility, mediaAccessTokens }: GuardDependencies) {
  return async (req: Request<{ mediaId: string }>): Promise<MediaPermission> => {
    const { mediaId } = req.params;
    const { access } = parseQuery('getPhoto', req.query);
    if (!MEDIA_ID.test(mediaId)) throw new DomainError('NOT_FOUND');
    if (isStockPicture(mediaId)) return { cacheControl: CACHE_PERMANENTLY, isStaff: false, isPublic: true };
    const audience = access !== undefined ? mediaAccessTokens.read(access, mediaId) : null;
    if (audience && (await canAccess(visibility, mediaId, audience)))
      return { cacheControl: DO_NOT_CACHE, isStaff: audience === 'staff', isPublic: false };
    // The file may have become public after a token was issued, which may have expired since.
    if (await visibility.isPublic(mediaId))
      return { cacheControl: access === undefined ? CACHE_BRIEFLY : DO_NOT_CACHE, isStaff: false, isPublic: true };
    throw new DomainError('NOT_FOUND');
  };
}

type RouteDependencies = Dependencies<
  'commands' | 'authentication' | 'mediaAccessTokens' | 'staffReads' | 'progress'
> & {
  readonly visibility: MediaVisibility;
};

/** The operation that gives the owner of a file and staff access to a file that is not public. */
export function mediaAccessRoutes({
  commands,
  authentication,
  mediaAccessTokens,
  staffReads,
  progress,
  visibility,
}: RouteDependencies) {
  return createOperationRouter().on(
    'getMediaAccess',
    waitForPosition(progress, MEDIA_READ_MODELS),
    async (req, res) => {
      const principal = await authentication.require(req);
      const { mediaId } = getPath(req);
      const { state } = await commands.load(media, mediaId);
      if (state?.status !== 'ready' && state?.status !== 'processing') throw new DomainError('NOT_FOUND');
      const audience = audienceOf(principal, state);
      if (!audience || !(await canAccess(visibility, mediaId, audience))) throw new DomainError('NOT_FOUND');
      if (isStockPicture(mediaId) || (await visibility.isPublicNow(mediaId))) {
        sendUncached(res, { success: true, access: null, expiresAt: null });
        return;
      }
      if (audience === 'staff') {
        const viewed = { subjectId: state.ownerId, people: 1, mediaId };
        await recordRead({ staffReads }, res, principal, 'getMediaAccess', viewed);
      }
      const { token, expiresAt } = mediaAccessTokens.issue(mediaId, audience);
      sendUncached(res, { success: true, access: token, expiresAt });
    },
  );
}

interface Viewer {
  readonly account: RegisteredAccount;
  readonly user: { readonly isModerator: boolean };
}

function audienceOf({ account, user }: Viewer, file: MediaRecord): MediaAudience | null {
  if (isUploadedBy(file, account)) return 'owner';
  return user.isModerator ? 'staff' : null;
}

/** Staff may view a file that a moderator has removed, for example for an appeal. Its owner may not. */
async function canAccess(visibility: MediaVisibility, mediaId: string, audience: MediaAudience): Promise<boolean> {
  return audience === 'staff' || !(await visibility.isRemovedByDecision(mediaId));
}
