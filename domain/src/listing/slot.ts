import type { EventFromDefinition } from '../event-definition.ts';
import type { CaseId } from '../moderation/subject.ts';
import type { AdPosted } from './events.ts';

type PostedFields = Omit<EventFromDefinition<typeof AdPosted>['data'], 'accountId' | 'earlier'>;

/** A review of the posted ad. */
export interface AdReview {
  readonly reviewId: string;
  /** The account of the author. Null for demo reviews. */
  readonly reviewerId: string | null;
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
  /** The weight in the average. Absent for demo reviews and for those before weights existed. */
  readonly weight?: number | undefined;
  /** Time at which the review was first written. */
  readonly writtenAt: string;
  /** Time of the last edit, or null. */
  readonly editedAt: string | null;
  /** The author can delete a review, and a moderator can remove it. Neither is shown any longer. */
  readonly status: 'visible' | 'deleted' | 'removed';
  /** True if the review was written about an earlier ad, which this ad continues. */
  readonly isOfEarlierAd: boolean;
}

/** The current version of the posted ad. */
export interface Ad extends PostedFields {
  readonly postedAt: string;
  /** Time at which the first of the ads that this ad continues was posted, or `postedAt`. */
  readonly createdAt: string;
  /** Ids of the deleted ads that this ad continues, the oldest first. */
  readonly earlierAdIds: readonly string[];
  readonly lastBumpedAt: string;
  /** All reviews, including deleted and removed ones, in the order in which they were written. */
  readonly reviews: readonly AdReview[];
  readonly isFeatured: boolean;
  /** The ids of the moderation cases that hide the ad. The ad is visible if the list is empty. */
  readonly holdingCaseIds: readonly CaseId[];
  /**
   * The revision of the last event that changed the content of the ad. A decision about an earlier revision is not
   * about this content (`isConfirmed`).
   */
  readonly contentRevision: number;
}

/**
 * A moderation case that hides an ad of the account. The entry remains after the ad is deleted, because the case may
 * also hide the next ad.
 */
export interface Hold {
  readonly caseId: CaseId;
  /** The cause of the last `AdHidden` event of this moderation case. */
  readonly by: 'report' | 'moderator' | 'rule';
  /** The content of the ad at the time when the moderation case first hid it. */
  readonly hiddenAd: HiddenAdContent;
}

/** A time during which an ad showed a photo or video. Times are ISO 8601. */
export interface ShownMedia {
  readonly mediaId: string;
  readonly from: string;
  /** Null while the ad still shows it. */
  readonly until: string | null;
}

/** The fields that decide whether another ad has the same content. */
export type HiddenAdContent = Pick<Ad, 'adId' | 'title' | 'description' | 'photos'>;

/**
 * The ads of one provider. This aggregate ensures that a provider has at most one active ad at a time. `ad` is null
 * while the provider has no active ad.
 */
export interface ListingState {
  /** The revision of the last event, or -1 before the first one. */
  readonly revision: number;
  readonly ad: Ad | null;
  /** The last deleted ad, which the next ad continues, or null. */
  readonly earlierAd: Ad | null;
  /**
   * Ids of the deleted ads of the provider. A late command for a deleted ad fails with AD_NOT_FOUND instead of
   * ONLY_OWNER.
   */
  readonly deletedAdIds: readonly string[];
  /**
   * The moderation cases that hide content of the provider. A case about a picture stays in this list while the ad does
   * not show the picture.
   */
  readonly holds: readonly Hold[];
  /** When an ad of the provider showed which photos and videos, also if a moderation case hid the ad. */
  readonly shownMedia: readonly ShownMedia[];
}
