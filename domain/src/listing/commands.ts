import type { CaseId } from '../moderation/subject.ts';
import type { AdContent } from './ad-fields.ts';
import type { AdChanges } from './fields.ts';

/** The account that posts or changes an ad, with its current data. */
export interface Poster {
  readonly accountId: string;
  readonly isProvider: boolean;
  /** True if the account was verified by a mailed code or by an admin. */
  readonly emailVerified: boolean;
}

export interface PostAd {
  readonly poster: Poster;
  /**
   * An id that the client has chosen for the request. A repeated request has the same id and therefore causes no second
   * ad.
   */
  readonly clientId: string | null;
  readonly fields: AdContent;
  /**
   * Media ids of the photos, the cover first. The caller has already checked that each photo is an upload of the poster
   * or a demo fallback picture.
   */
  readonly photos: readonly string[];
  /** Media id of the video, or null. The caller has already checked that the video belongs to the poster. */
  readonly video: string | null;
  readonly isDemo: boolean;
  /**
   * The time at which the account was registered, in ISO 8601. The ad continues an earlier ad that was posted since
   * then. An ad from before belongs to a closed account with the same id. Absent for demo data, which continues no ad.
   */
  readonly registeredAt?: string;
}

export interface UpdateAd {
  readonly poster: Poster;
  readonly adId: string;
  readonly changes: Omit<AdChanges, 'photos' | 'video'>;
  /** Media ids of the new photos, the cover first. Undefined keeps the current photos. */
  readonly photos: readonly string[] | undefined;
  readonly video: string | null | undefined;
}

/**
 * A command of the owner of an ad that needs no data besides the id of the ad, e.g. to bump or delete it.
 * `OWN_AD_COMMANDS` contains these commands.
 */
export interface OwnAdCommand {
  readonly poster: Poster;
  readonly adId: string;
}

/** The account that reviews an ad, with its current data. */
export interface Reviewer {
  readonly accountId: string;
  /** Reviews that were written before this time belong to a closed account with the same id. */
  readonly registeredAt: string;
  readonly isProvider: boolean;
  readonly emailVerified: boolean;
}

/** The account that writes a review. */
export interface NewReviewer extends Reviewer {
  /** The time from which the account may write, in ISO 8601. Null for staff. */
  readonly writesFrom: string | null;
  /** True if a moderator restricted content of the account within 90 days. */
  readonly isRestricted: boolean;
}

export interface ReviewAd {
  readonly ownerAccountId: string;
  readonly adId: string;
  /** The account of the reviewer. Null for the reviews of demo ads, which have no author. */
  readonly reviewer: NewReviewer | null;
  readonly reviewId: string;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
}

/** Identifies a review that its author wants to delete. */
export interface DeleteReview {
  readonly ownerAccountId: string;
  readonly adId: string;
  readonly reviewer: Reviewer;
  readonly reviewId: string;
}

export interface EditReview extends DeleteReview {
  /** The shown name. Null keeps the current name. */
  readonly name: string | null;
  readonly comment: string;
  readonly rating: number;
}

/** A moderator removes a review of the ad of the account `ownerAccountId`. */
export interface RemoveReview {
  readonly ownerAccountId: string;
  readonly adId: string;
  readonly reviewId: string;
  readonly moderatorId: string;
  readonly reason: string | null;
}

/** An admin removes the ad of the account `accountId`. */
export interface RemoveAdByAdmin {
  readonly accountId: string;
  readonly adId: string;
  readonly reason: string | null;
}

export interface FeatureAd {
  readonly accountId: string;
  readonly adId: string;
  readonly isFeatured: boolean;
}

export interface HideAd {
  readonly accountId: string;
  /** Id of the ad to hide. Null means the current ad of the account. */
  readonly adId: string | null;
  readonly by: 'report' | 'moderator' | 'rule';
  readonly caseId: CaseId;
}

export interface ReleaseAd {
  readonly accountId: string;
  readonly caseId: CaseId;
}
