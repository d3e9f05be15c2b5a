/**
 * What the API answers with: the types of the schemas in `domain/src/api/schemas`, which the API document is made of. Types alone,
 * so that no schema reaches a browser. Views say `T | null`, never `?`, so that a reader sees every field.
 */

import type {
  userAnswer,
  recoveryCodesAnswer,
  resendAnswer,
  sessionAnswer,
  twoStepAnswer,
  twoStepSetUpAnswer,
  userView,
} from '../api/schemas/accounts.ts';
import type {
  erasureAnswer,
  erasureView,
  personDataAnswer,
  personDataView,
  receiptAnswer,
} from '../api/schemas/person.ts';
import type {
  adminAdsAnswer,
  adminAdView,
  adminUserAnswer,
  adminUserDetail,
  adminUsersAnswer,
  adminUserView,
  clearedAnswer,
  verificationCodesAnswer,
  verificationCodeView,
} from '../api/schemas/admin.ts';
import type {
  adAnswer,
  adCard,
  adCountsAnswer,
  adListAnswer,
  adView,
  adWriteAnswer,
  reviewAnswer,
  reviewView,
  socialMedia,
} from '../api/schemas/ads.ts';
import type {
  adminArticleAnswer,
  adminArticleCard,
  adminArticlesAnswer,
  adminArticleView,
  articleAnswer,
  articleCard,
  articleListAnswer,
  articleView,
  articleWriteAnswer,
} from '../api/schemas/blog.ts';
import type {
  communityLocationsAnswer,
  followAnswer,
  followsAnswer,
  helpfulAnswer,
  hiddenPostsAnswer,
  postHistoryAnswer,
  postView,
  previewAnswer,
  threadAnswer,
  threadCard,
  threadListAnswer,
  threadView,
  threadWriteAnswer,
} from '../api/schemas/community.ts';
import type {
  appealAnswer,
  caseAnswer,
  caseCard,
  casesAnswer,
  caseView,
  caseWriteAnswer,
  contentView,
  proofView,
  reportAnswer,
  reportStatusAnswer,
  staffDecisionView,
  statementAnswer,
  statementsAnswer,
  statementView,
} from '../api/schemas/moderation.ts';
import type {
  dailyRootsAnswer,
  dailyRootView,
  inclusionProofView,
  logAnswer,
  logEntryView,
  proofAnswer,
} from '../api/schemas/audit.ts';
import type {
  differencesAnswer,
  parkedEventsAnswer,
  parkedEventView,
  previousVersionView,
  projectionsAnswer,
  projectionView,
  rebuildRequestedAnswer,
  rebuildView,
  rowDifferenceView,
} from '../api/schemas/replay.ts';
import type { staffReadsAnswer, staffReadView } from '../api/schemas/privacy.ts';
import type { transparencyAnswer, transparencyReport } from '../api/schemas/transparency.ts';
import type { identityAnswer, identityChecksAnswer, identityCheckView } from '../api/schemas/identity.ts';
import type { searchAnswer } from '../api/schemas/search.ts';
import type { doneAnswer } from '../api/schemas/common.ts';
import type { errorAnswer } from '../api/schemas/errors.ts';
import type { favoriteAnswer, favoritesAnswer } from '../api/schemas/favorites.ts';
import type {
  accountAsOfAnswer,
  accountAsOfView,
  adAsOfAnswer,
  adAsOfView,
  adRankAnswer,
  changeView,
  historyAnswer,
  historyEntryView,
  threadAsOfAnswer,
  threadAsOfView,
} from '../api/schemas/history.ts';
import type { photoUploadAnswer, photoView, videoUploadAnswer, videoView } from '../api/schemas/media.ts';
import type { healthAnswer, syncAnswer } from '../api/schemas/system.ts';
import type {
  hidingRulesAnswer,
  hidingRuleView,
  hidingRuleWriteAnswer,
  ruleHitView,
  ruleTrialAnswer,
} from '../api/schemas/rules.ts';
import type {
  jobAnswer,
  jobCard,
  jobsAnswer,
  jobsWrittenAnswer,
  jobView,
  queuesAnswer,
  queueView,
} from '../api/schemas/jobs.ts';
import type { overviewAnswer, overviewView } from '../api/schemas/overview.ts';
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
export type ErasureView = View<typeof erasureView>;
export type ErasureAnswer = View<typeof erasureAnswer>;
export type ReceiptAnswer = View<typeof receiptAnswer>;
export type PersonDataView = View<typeof personDataView>;
export type PersonDataAnswer = View<typeof personDataAnswer>;
export type TwoStepAnswer = View<typeof twoStepAnswer>;
export type TwoStepSetUpAnswer = View<typeof twoStepSetUpAnswer>;
export type IdentityAnswer = View<typeof identityAnswer>;
export type IdentityCheckView = View<typeof identityCheckView>;
export type IdentityChecksAnswer = View<typeof identityChecksAnswer>;
export type RecoveryCodesAnswer = View<typeof recoveryCodesAnswer>;
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
/** One user with what the panel shows beside the list. */
export type AdminUserDetail = View<typeof adminUserDetail>;
export type AdminUserAnswer = View<typeof adminUserAnswer>;
/** An ad as an admin sees it. */
export type AdminAdView = View<typeof adminAdView>;
export type AdminAdsAnswer = View<typeof adminAdsAnswer>;
/** A hiding rule: what an ad must be like to be hidden by itself. */
export type HidingRuleView = View<typeof hidingRuleView>;
export type HidingRulesAnswer = View<typeof hidingRulesAnswer>;
/** Answer of the calls that write a rule. */
export type HidingRuleWriteAnswer = View<typeof hidingRuleWriteAnswer>;
/** An ad a rule would have hidden. */
export type RuleHitView = View<typeof ruleHitView>;
/** Part of a trial. */
export type RuleTrialAnswer = View<typeof ruleTrialAnswer>;
/** How many jobs of a kind are in which state. */
export type QueueView = View<typeof queueView>;
export type QueuesAnswer = View<typeof queuesAnswer>;
export type JobCard = View<typeof jobCard>;
export type JobView = View<typeof jobView>;
export type JobsAnswer = View<typeof jobsAnswer>;
export type JobAnswer = View<typeof jobAnswer>;
/** Answer of the calls that retry or remove jobs. */
export type JobsWrittenAnswer = View<typeof jobsWrittenAnswer>;
/** The state of the place at one look. */
export type OverviewView = View<typeof overviewView>;
export type OverviewAnswer = View<typeof overviewAnswer>;
/** A verification code that can still be entered. `code` only where codes are exposed, else null. */
export type VerificationCodeView = View<typeof verificationCodeView>;
export type VerificationCodesAnswer = View<typeof verificationCodesAnswer>;
/** Answer of `/admin/verification-codes/clear`. */
export type ClearedAnswer = View<typeof clearedAnswer>;

/** A thread of the community in a list. */
export type ThreadCard = View<typeof threadCard>;
export type ThreadListAnswer = View<typeof threadListAnswer>;
/** A thread with its opening post and a page of its replies. */
export type ThreadView = View<typeof threadView>;
export type ThreadAnswer = View<typeof threadAnswer>;
/** One post of a thread, as the asker may see it. */
export type PostView = View<typeof postView>;
export type CommunityLocationsAnswer = View<typeof communityLocationsAnswer>;
/** Answer of every call that writes a post or changes a thread. */
export type ThreadWriteAnswer = View<typeof threadWriteAnswer>;
export type HelpfulAnswer = View<typeof helpfulAnswer>;
export type FollowAnswer = View<typeof followAnswer>;
export type FollowsAnswer = View<typeof followsAnswer>;
export type PostHistoryAnswer = View<typeof postHistoryAnswer>;
/** Markdown as it will be shown. */
export type PreviewAnswer = View<typeof previewAnswer>;
export type HiddenPostsAnswer = View<typeof hiddenPostsAnswer>;

/** Answer of `POST /reports`. */
export type ReportAnswer = View<typeof reportAnswer>;
/** What became of a report: that it was received, or decided. */
export type ReportStatusAnswer = View<typeof reportStatusAnswer>;
/** A statement of reasons, as its addressee reads it. */
export type StatementView = View<typeof statementView>;
export type StatementsAnswer = View<typeof statementsAnswer>;
export type StatementAnswer = View<typeof statementAnswer>;
export type AppealAnswer = View<typeof appealAnswer>;
export type ProofView = View<typeof proofView>;
/** A case in the queue of moderators, and with all there is to decide it by. */
export type CaseCard = View<typeof caseCard>;
export type CasesAnswer = View<typeof casesAnswer>;
export type CaseView = View<typeof caseView>;
export type CaseAnswer = View<typeof caseAnswer>;
export type CaseWriteAnswer = View<typeof caseWriteAnswer>;
/** Something as it stood at one of its versions. */
export type ContentView = View<typeof contentView>;
export type StaffDecisionView = View<typeof staffDecisionView>;

/** A published article in a list. */
export type ArticleCard = View<typeof articleCard>;
export type ArticleListAnswer = View<typeof articleListAnswer>;
export type ArticleView = View<typeof articleView>;
export type ArticleAnswer = View<typeof articleAnswer>;
/** An article as an admin sees it, published or not. */
export type AdminArticleCard = View<typeof adminArticleCard>;
export type AdminArticleView = View<typeof adminArticleView>;
export type AdminArticlesAnswer = View<typeof adminArticlesAnswer>;
export type AdminArticleAnswer = View<typeof adminArticleAnswer>;
export type ArticleWriteAnswer = View<typeof articleWriteAnswer>;

/** Answer of `GET /search`: the best of each kind. */
export type SearchAnswer = View<typeof searchAnswer>;

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

export type LogEntryView = View<typeof logEntryView>;
export type DailyRootView = View<typeof dailyRootView>;
export type InclusionProofView = View<typeof inclusionProofView>;
export type LogAnswer = View<typeof logAnswer>;
export type DailyRootsAnswer = View<typeof dailyRootsAnswer>;
export type ProofAnswer = View<typeof proofAnswer>;

/** Histories as staff see them: what happened, and how things stood. */
export type ChangeView = View<typeof changeView>;
export type HistoryEntryView = View<typeof historyEntryView>;
export type HistoryAnswer = View<typeof historyAnswer>;
export type AdAsOfView = View<typeof adAsOfView>;
export type AdAsOfAnswer = View<typeof adAsOfAnswer>;
/** Why an ad stood where it did. */
export type AdRankAnswer = View<typeof adRankAnswer>;
export type AccountAsOfView = View<typeof accountAsOfView>;
export type AccountAsOfAnswer = View<typeof accountAsOfAnswer>;
export type ThreadAsOfView = View<typeof threadAsOfView>;
export type ThreadAsOfAnswer = View<typeof threadAsOfAnswer>;

/** The figures of a period. */
export type TransparencyReport = View<typeof transparencyReport>;
export type TransparencyAnswer = View<typeof transparencyAnswer>;

export type ProjectionView = View<typeof projectionView>;
export type RebuildView = View<typeof rebuildView>;
export type PreviousVersionView = View<typeof previousVersionView>;
export type ProjectionsAnswer = View<typeof projectionsAnswer>;
export type RebuildRequestedAnswer = View<typeof rebuildRequestedAnswer>;
export type RowDifferenceView = View<typeof rowDifferenceView>;
export type DifferencesAnswer = View<typeof differencesAnswer>;
export type ParkedEventView = View<typeof parkedEventView>;
export type ParkedEventsAnswer = View<typeof parkedEventsAnswer>;

export type StaffReadView = View<typeof staffReadView>;
export type StaffReadsAnswer = View<typeof staffReadsAnswer>;
