/**
 * What the API answers with: the types of the schemas in `domain/src/api/schemas`, which the API document is made of. Types alone,
 * so that no schema reaches a browser. Views say `T | null`, never `?`, so that a reader sees every field.
 */

import type { userAnswer, resendAnswer, sessionAnswer, userView } from '../api/schemas/accounts.ts';
import type { adminAdsAnswer, adminAdView, adminUsersAnswer, adminUserView, clearedAnswer, verificationCodesAnswer, verificationCodeView } from '../api/schemas/admin.ts';
import type { adAnswer, adCard, adCountsAnswer, adListAnswer, adView, adWriteAnswer, reviewAnswer, reviewView, socialMedia } from '../api/schemas/ads.ts';
import type { doneAnswer } from '../api/schemas/common.ts';
import type { errorAnswer } from '../api/schemas/errors.ts';
import type { favoriteAnswer, favoritesAnswer } from '../api/schemas/favorites.ts';
import type { photoUploadAnswer, photoView, videoUploadAnswer, videoView } from '../api/schemas/media.ts';
import type { healthAnswer, syncAnswer } from '../api/schemas/system.ts';
import type { View } from './view.ts';

export { SOCIAL_NETWORKS, type SocialNetwork } from './social-networks.ts';

/** A user as they see themselves. Specification, section 3. */
export type UserView = View<typeof userView>;
export type UserType = UserView['userType'];

export type SocialMedia = View<typeof socialMedia>;

/**
 * One photo of an ad. `url` is its largest JPEG; every variant stands beside it at `<base>/<width>.<format>`
 * for the widths and formats of `constants.ts`, where `base` is `/uploads/photos/<id>`.
 */
export type PhotoView = View<typeof photoView>;

/** The video of an ad. */
export type VideoView = View<typeof videoView>;

/** An ad in a list. Public: no e-mail, phone or social link. */
export type AdCard = View<typeof adCard>;
export type ReviewView = View<typeof reviewView>;
/** One ad in full, as `GET /ads/{id}` answers it. `email` is the owner's: null for everyone but owner and admin. */
export type AdView = View<typeof adView>;

export type AdListAnswer = View<typeof adListAnswer>;
/** How many ads there are, by place and by category, under the filter that was asked for. */
export type AdCountsAnswer = View<typeof adCountsAnswer>;
export type AdAnswer = View<typeof adAnswer>;
export type AdWriteAnswer = View<typeof adWriteAnswer>;
/** Answer of `POST /ads/{id}/reviews`. */
export type ReviewAnswer = View<typeof reviewAnswer>;

/** Answer of sign-up, login and refresh. `verificationCode` is present only where codes are exposed (product decisions). */
export type SessionAnswer = View<typeof sessionAnswer>;
export type UserAnswer = View<typeof userAnswer>;
export type ResendAnswer = View<typeof resendAnswer>;
/** Answer of a call that has nothing to tell but that it was done. */
export type DoneAnswer = View<typeof doneAnswer>;

/** Answer of `GET /favorites/{userId}`: the ads still there, the favorite added last first. */
export type FavoritesAnswer = View<typeof favoritesAnswer>;
/** Answer of `POST /favorites` and `DELETE /favorites/{id}`; the id of a favorite is that of its ad. */
export type FavoriteAnswer = View<typeof favoriteAnswer>;

/** A user as an admin sees them. */
export type AdminUserView = View<typeof adminUserView>;
export type AdminUsersAnswer = View<typeof adminUsersAnswer>;
/** An ad as an admin sees it. */
export type AdminAdView = View<typeof adminAdView>;
export type AdminAdsAnswer = View<typeof adminAdsAnswer>;
/** A verification code that can still be entered. `code` only where codes are exposed, else null. */
export type VerificationCodeView = View<typeof verificationCodeView>;
export type VerificationCodesAnswer = View<typeof verificationCodesAnswer>;
/** Answer of `/admin/verification-codes/clear`. */
export type ClearedAnswer = View<typeof clearedAnswer>;

/** Answer of `POST /uploads/photos`. */
export type UploadAnswer = View<typeof photoUploadAnswer>;
/** Answer of `POST /uploads/video`. */
export type VideoUploadAnswer = View<typeof videoUploadAnswer>;

/** Answer of `GET /health`; with 503, `success` is false and `status` is `unavailable`. */
export type HealthAnswer = View<typeof healthAnswer>;
/** Answer of `GET /sync/status` and `POST /sync/force`: the last event's position, and how far each read model has come. */
export type SyncAnswer = View<typeof syncAnswer>;

/** Every refusal. `message` carries the quoted text of the specification, section 8. */
export type ErrorAnswer = View<typeof errorAnswer>;
