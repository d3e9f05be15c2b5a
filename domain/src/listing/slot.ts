import type { EventFromDefinition } from '../event-definition.ts';
import type { CaseId } from '../moderation/subject.ts';
import type { AdPosted } from './events.ts';

type PostedFields = Omit<EventFromDefinition<typeof AdPosted>['data'], 'accountId'>;

/** The current version of the posted ad. */
export interface Ad extends PostedFields {
  readonly lastBumpedAt: string;
  /** Ids of the reviews, so that each review is counted once. */
  readonly reviewIds: readonly string[];
  /** The accounts that have reviewed the ad. */
  readonly reviewerIds: readonly string[];
  readonly isFeatured: boolean;
  /** The ids of the moderation cases that hide the ad. The ad is visible if the list is empty. */
  readonly holdingCaseIds: readonly CaseId[];
  /**
   * True if a moderator has approved the current version of the ad. Reports and hiding rules do not hide an approved
   * ad.
   */
  readonly isApproved: boolean;
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

/** The fields that decide whether another ad has the same content. */
export type HiddenAdContent = Pick<Ad, 'adId' | 'title' | 'description' | 'photos'>;

/**
 * The ads of one provider. This aggregate ensures that a provider has at most one active ad at a time. `ad` is null
 * while the provider has no active ad.
 */
export interface ListingState {
  readonly ad: Ad | null;
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
}
