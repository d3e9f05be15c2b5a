/**
 * TypeScript types of the parts of API responses, derived from the schemas in `domain/src/api/schemas`. The type of a
 * whole response is `ResponseOf` of its operation. This file contains only types, so that browsers do not download the
 * schemas. A property that has no value is usually null, not missing.
 */

import type * as accounts from '../api/schemas/accounts.ts';
import type * as admin from '../api/schemas/admin.ts';
import type * as ads from '../api/schemas/ads.ts';
import type * as audit from '../api/schemas/audit.ts';
import type * as blog from '../api/schemas/blog.ts';
import type * as community from '../api/schemas/community.ts';
import type * as errors from '../api/schemas/errors.ts';
import type * as history from '../api/schemas/history.ts';
import type * as identity from '../api/schemas/identity.ts';
import type * as jobs from '../api/schemas/jobs.ts';
import type * as media from '../api/schemas/media.ts';
import type * as moderation from '../api/schemas/moderation.ts';
import type * as overview from '../api/schemas/overview.ts';
import type * as pictureChecks from '../api/schemas/picture-checks.ts';
import type * as person from '../api/schemas/person.ts';
import type * as removals from '../api/schemas/removals.ts';
import type * as requests from '../api/schemas/requests.ts';
import type * as replay from '../api/schemas/replay.ts';
import type * as rules from '../api/schemas/rules.ts';
import type * as transparency from '../api/schemas/transparency.ts';
import type { View } from './view.ts';

export type { MethodOf, OperationId, PathTo, ReadId, ResponseOf, SentBodyOf } from '../api/operations.ts';
export { SOCIAL_NETWORK_NAMES, SOCIAL_NETWORKS, type SocialNetwork } from './social-networks.ts';

/** A user account, as shown to its owner. */
export type UserView = View<typeof accounts.userView>;
export type UserType = UserView['userType'];

export type SocialMedia = View<typeof ads.socialMedia>;

/**
 * One photo of an ad. `url` is its largest JPEG. The variants have the URLs `/uploads/photos/<id>/<width>.<format>`,
 * with the widths and formats of `constants.ts`.
 */
export type PhotoView = View<typeof media.photoView>;

/** The video of an ad. */
export type VideoView = View<typeof media.videoView>;

/** An ad in a list. It is public, so it contains no e-mail address, phone number or social link. */
export type AdCard = View<typeof ads.adCard>;
/**
 * One ad in full, as `GET /ads/{id}` returns it. `email` is the address of the owner. Only the owner and admins receive
 * it, so it is null for other callers.
 */
export type AdView = View<typeof ads.adView>;

/** The phone number and the social links of an ad, and its texts with the contact details that they contain. */
export type ContactDetails = View<typeof ads.contactDetails>;
export type ReviewView = View<typeof ads.reviewView>;

export type ErasureView = View<typeof person.erasureView>;
export type IdentityCheckView = View<typeof identity.identityCheckView>;

/** A user, as shown to admins. */
export type AdminUserView = View<typeof admin.adminUserView>;
/** One user, with details that the user list does not contain. */
export type AdminUserDetailView = View<typeof admin.adminUserDetailView>;
/** An ad, as shown to admins. */
export type AdminAdView = View<typeof admin.adminAdView>;
/** A hiding rule: the conditions under which an ad is hidden automatically. */
export type HidingRuleView = View<typeof rules.hidingRuleView>;
/** An ad that a hiding rule would have hidden, as found by a trial of the rule. */
export type RuleTrialHitView = View<typeof rules.ruleTrialHitView>;
/** The number of background jobs of one kind in each state. */
export type QueueView = View<typeof jobs.queueView>;
export type JobCard = View<typeof jobs.jobCard>;
export type JobView = View<typeof jobs.jobView>;
/** Key figures of the product for admins, e.g. the numbers of users, ads and open moderation cases. */
export type OverviewView = View<typeof overview.overviewView>;
export type PictureCheckView = View<typeof pictureChecks.pictureCheckView>;
/**
 * A verification code that can still be used. The field `code` contains the code only if the server is configured to
 * expose codes. Otherwise, it is null.
 */
export type VerificationCodeView = View<typeof admin.verificationCodeView>;

/** A thread of the community in a list. */
export type ThreadCard = View<typeof community.threadCard>;
/** A thread with its opening post and a page of its replies. */
export type ThreadView = View<typeof community.threadView>;
/** One post of a community thread, as shown to the requester. */
export type PostView = View<typeof community.postView>;

/** A removal request, as the person who has asked sees it. */
export type RemovalView = View<typeof removals.removalView>;
/** A removal request in the list for moderators. */
export type RemovalCard = View<typeof removals.removalCard>;
/** A removal request with everything that a moderator needs to decide it. */
export type StaffRemovalView = View<typeof removals.staffRemovalView>;
/** A statement of reasons for a moderation decision, as shown to the owner of the content. */
export type StatementView = View<typeof moderation.statementView>;
/** A moderation case in a list for moderators. */
export type CaseCard = View<typeof moderation.caseCard>;
export type CaseView = View<typeof moderation.caseView>;
/** A version of the content that a moderation case is about. */
export type ContentView = View<typeof moderation.contentView>;
export type StaffDecisionView = View<typeof moderation.staffDecisionView>;

/** A published article in a list. */
export type ArticleCard = View<typeof blog.articleCard>;
export type ArticleView = View<typeof blog.articleView>;
/** An article in a list for admins, which also contains unpublished articles. */
export type AdminArticleCard = View<typeof blog.adminArticleCard>;
export type AdminArticleView = View<typeof blog.adminArticleView>;

/** An error response. `message` is the error text for people. */
export type ErrorResponse = View<typeof errors.errorResponse>;

export type LogEntryView = View<typeof audit.logEntryView>;
export type DailyRootView = View<typeof audit.dailyRootView>;
export type InclusionProofView = View<typeof audit.inclusionProofView>;

/** A changed field in a history, with its values before and after the change. */
export type ChangeView = View<typeof history.changeView>;
export type HistoryEntryView = View<typeof history.historyEntryView>;
export type AdSnapshotView = View<typeof history.adSnapshotView>;
export type AccountSnapshotView = View<typeof history.accountSnapshotView>;
export type ThreadSnapshotView = View<typeof history.threadSnapshotView>;

/** The stored error responses and events of a request, and the progress of each consumer of its events. */
export type RequestView = View<typeof requests.requestResponse>['data'];

/** The figures of the transparency report for one period. */
export type TransparencyReport = View<typeof transparency.transparencyReport>;

export type ProjectionView = View<typeof replay.projectionView>;
export type RebuildView = View<typeof replay.rebuildView>;
export type PreviousVersionView = View<typeof replay.previousVersionView>;
export type RowDifferenceView = View<typeof replay.rowDifferenceView>;
export type ParkedEventView = View<typeof replay.parkedEventView>;
