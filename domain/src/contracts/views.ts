/** What the API answers with. Views say `T | null`, never `?`, so that a reader sees every field. */

import type { Category } from '../listing/fields.ts';

export type UserType = 'client' | 'provider';

/** A user as they see themselves. Specification, section 3. */
export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly userType: UserType;
  readonly verified: boolean;
  readonly isEmailVerified: boolean;
  readonly isAdmin: boolean;
  readonly isProvider: boolean;
  readonly displayName: string;
  readonly age: number;
  readonly subscriptionStatus: 'none';
  readonly subscriptionPlan: null;
  readonly isFreeTrial: boolean;
  readonly canPostAds: boolean;
}

export const SOCIAL_NETWORKS = ['instagram', 'twitter', 'facebook', 'snapchat', 'tiktok', 'onlyfans', 'website'] as const;
export type SocialNetwork = (typeof SOCIAL_NETWORKS)[number];
export type SocialMedia = Readonly<Record<SocialNetwork, string | null>>;

/**
 * One photo of an ad. `url` is its largest JPEG; every variant stands beside it at `<base>/<width>.<format>`
 * for the widths and formats of `constants.ts`, where `base` is `/uploads/photos/<id>`.
 */
export interface PhotoView {
  readonly id: string;
  readonly url: string;
  readonly status: 'processing' | 'ready' | 'rejected';
  /** Why it was rejected, in words for its owner; null otherwise. */
  readonly reason: string | null;
  /** Pixels of the largest variant, 0 until ready. */
  readonly width: number;
  readonly height: number;
  /** A tiny `data:` picture to show while loading; null until ready. */
  readonly blur: string | null;
}

/** The video of an ad. */
export interface VideoView {
  readonly id: string;
  readonly url: string;
  readonly status: 'processing' | 'ready' | 'rejected';
  readonly reason: string | null;
  /** Pixels and seconds, 0 until ready. */
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  readonly contentType: string | null;
}

/** An ad in a list. Public: no e-mail, phone or social link. */
export interface AdCard {
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly category: Category;
  readonly state: string;
  readonly city: string;
  /** `City, ST`, for people. */
  readonly location: string;
  readonly price: string | null;
  readonly image: string | null;
  /** URLs, first is the cover. */
  readonly photos: readonly string[];
  readonly images: readonly string[];
  readonly media: readonly PhotoView[];
  readonly video: string | null;
  /** The video with its state; null without one, and to others than the owner while it cannot be played. */
  readonly videoMedia: VideoView | null;
  readonly verified: boolean;
  readonly isOnline: boolean;
  readonly isFeatured: boolean;
  readonly isPremium: boolean;
  readonly isActive: boolean;
  readonly isDemo: boolean;
  readonly status: 'active' | 'deleted' | 'hidden';
  readonly views: number;
  readonly bumpCount: number;
  readonly rating: number;
  readonly averageRating: number;
  readonly reviewCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastBumpedAt: string;
}

export interface ReviewView {
  readonly name: string;
  readonly comment: string;
  readonly rating: number;
}

/** One ad in full, as `GET /ads/{id}` answers it. `email` is the owner's: null for everyone but owner and admin. */
export interface AdView extends AdCard {
  readonly description: string;
  readonly body: string | null;
  readonly phone: string | null;
  readonly socialMedia: SocialMedia;
  readonly reviews: readonly ReviewView[];
  readonly email: string | null;
  /** True for the ad's owner, so that the page can offer edit, bump and delete. */
  readonly isOwner: boolean;
}

export interface AdListAnswer {
  readonly success: true;
  readonly data: readonly AdCard[];
  readonly nextCursor: string | null;
  /** How many there are; null where counting would take too long, which a search over many ads may. */
  readonly total: number | null;
}
/** How many ads there are, by place and by category, under the filter that was asked for. */
export interface AdCountsAnswer {
  readonly success: true;
  readonly data: {
    readonly total: number;
    readonly states: readonly { readonly state: string; readonly count: number }[];
    readonly cities: readonly { readonly state: string; readonly city: string; readonly slug: string; readonly count: number }[];
    readonly categories: readonly { readonly category: Category; readonly count: number }[];
  };
}
export interface AdAnswer {
  readonly success: true;
  readonly data: AdView;
}
export interface AdWriteAnswer {
  readonly success: true;
  readonly message: string;
  readonly ad: { readonly id: string };
  readonly data: { readonly id: string };
}
/** Answer of sign-up and login. `verificationCode` is present only where codes are exposed (product decisions). */
export interface SessionAnswer {
  readonly success: true;
  readonly user: UserView;
  readonly token: string;
  readonly message: string;
  readonly verificationRequired: boolean;
  readonly verificationCode?: string;
}
export interface UserAnswer {
  readonly success: true;
  readonly user: UserView;
  readonly message: string;
}
export interface ResendAnswer {
  readonly success: true;
  readonly message: string;
  readonly verificationCode?: string;
}
/** Answer of a call that has nothing to tell but that it was done. */
export interface DoneAnswer {
  readonly success: true;
  readonly message: string;
}
/** Answer of `POST /ads/{id}/reviews`. */
export interface ReviewAnswer {
  readonly success: true;
  readonly message: string;
  readonly data: ReviewView & { readonly id: string };
}
/** Answer of `GET /favorites/{userId}`: the ads still there, the favorite added last first. */
export interface FavoritesAnswer {
  readonly success: true;
  readonly data: readonly AdCard[];
  readonly adIds: readonly string[];
}
/** Answer of `POST /favorites` and `DELETE /favorites/{id}`; the id of a favorite is that of its ad. */
export interface FavoriteAnswer {
  readonly success: true;
  readonly message: string;
  readonly data: { readonly id: string; readonly adId: string };
}
/** A user as an admin sees them. */
export interface AdminUserView extends UserView {
  readonly isDemo: boolean;
  readonly registeredAt: string;
  /** The ad they have up, or null. */
  readonly adId: string | null;
}
export interface AdminUsersAnswer {
  readonly success: true;
  readonly data: readonly AdminUserView[];
  readonly nextCursor: string | null;
  readonly total: number;
}
/** An ad as an admin sees it. */
export interface AdminAdView extends AdCard {
  readonly email: string | null;
  readonly ownerId: string;
}
export interface AdminAdsAnswer {
  readonly success: true;
  readonly data: readonly AdminAdView[];
  readonly nextCursor: string | null;
  readonly total: number | null;
}
/** A verification code that can still be entered. `code` only where codes are exposed, else null. */
export interface VerificationCodeView {
  readonly userId: string;
  readonly email: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly attemptsLeft: number;
  readonly code: string | null;
}
export interface VerificationCodesAnswer {
  readonly success: true;
  readonly data: readonly VerificationCodeView[];
  readonly nextCursor: string | null;
}
/** Answer of `/admin/verification-codes/clear`. */
export interface ClearedAnswer {
  readonly success: true;
  readonly message: string;
  readonly data: { readonly cleared: number };
}
/** Answer of `GET /health`; with 503, `success` is false and `status` is `unavailable`. */
export interface HealthAnswer {
  readonly success: boolean;
  readonly status: 'ok' | 'unavailable';
  readonly version: string;
  readonly time: string;
}
/** Answer of `POST /uploads/video`. */
export interface VideoUploadAnswer {
  readonly success: true;
  readonly url: string;
  readonly media: VideoView;
}
export interface UploadAnswer {
  readonly success: true;
  readonly urls: readonly string[];
  readonly media: readonly PhotoView[];
}
/** Every refusal. `message` carries the quoted text of the specification, section 8. */
export interface ErrorAnswer {
  readonly success: false;
  readonly error: string;
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
  /** Members of `application/problem+json`, RFC 9457. */
  readonly title: string;
  readonly status: number;
  readonly retryAfter_s?: number;
  readonly fields?: Readonly<Record<string, string>>;
}
/** Answer of `GET /sync/status` and `POST /sync/force`: the last event's position, and how far each read model has come. */
export interface SyncAnswer {
  readonly success: true;
  readonly data: {
    readonly head: string;
    readonly projections: readonly {
      readonly name: string;
      readonly position: string;
      /** Events not handled yet; 1,000 stands for that many or more. */
      readonly lag: number;
      readonly state: 'live' | 'catching up';
    }[];
  };
}
