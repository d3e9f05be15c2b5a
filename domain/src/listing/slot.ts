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
  /** The ids of the cases that hide the ad. The ad is visible if the list is empty. */
  readonly holdingCaseIds: readonly CaseId[];
  /** True if a moderator has approved the current version. A report does not hide such an ad. */
  readonly isApproved: boolean;
}

/**
 * A moderation case that hides content of the account. The hold remains after the ad is deleted, because it may also
 * hide the next ad.
 */
export interface Hold {
  readonly caseId: CaseId;
  /** The cause of the last `AdHidden` event of this case. */
  readonly by: 'report' | 'moderator' | 'rule';
  /** The content of the ad when the case first hid it. */
  readonly hiddenAd: HiddenAdContent;
}

/** The fields that decide whether another ad has the same content. */
export type HiddenAdContent = Pick<Ad, 'adId' | 'title' | 'description' | 'photos'>;

/**
 * The slot of a provider, which holds one ad at a time. This aggregate enforces the rule of one active ad per owner.
 * `ad` is null while the slot is free.
 */
export interface ListingState {
  readonly ad: Ad | null;
  /**
   * Ids of the earlier ads of the slot. A late command for one of them fails with AD_NOT_FOUND instead of ONLY_OWNER.
   */
  readonly deletedAdIds: readonly string[];
  /**
   * The holds of cases that are not released yet. A hold on a picture remains while the ad does not show the picture.
   */
  readonly holds: readonly Hold[];
}
