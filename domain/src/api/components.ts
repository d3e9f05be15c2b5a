import type * as z from 'zod/mini';
import { reasonFields } from '../admin-fields.ts';
import { changePasswordFields, forgotPasswordFields, logInFields, profileFields, resetPasswordFields, roleFields, signUpFields, twoStepConfirmFields, twoStepDisableFields, twoStepSetUpFields, verifyEmailFields } from '../account/fields.ts';
import { articleChanges, articleCorrection, articlePreviewFields, newArticleFields, publishFields, withdrawFields } from '../article/fields.ts';
import { newConsent } from '../consent/fields.ts';
import { identityDecisionFields } from '../identity/fields.ts';
import { newFavorite } from '../favorites/fields.ts';
import { followFields, unsubscribeFields } from '../follows/fields.ts';
import { adChanges, featureFields, newAdFields, reviewFields, socialMediaFields } from '../listing/fields.ts';
import { appealFields, decideAppealFields, decideCaseFields } from '../moderation/fields.ts';
import { erasureFields, personReasonFields } from '../person/fields.ts';
import { hidingRuleFields, tryRuleFields } from '../hiding-rule/fields.ts';
import { skipFields } from '../replay/fields.ts';
import { newReport } from '../report/fields.ts';
import { hideFields, lockFields, moveFields, newReplyFields, newThreadFields, pinFields, postChanges, previewFields } from '../thread/fields.ts';
import { recoveryCodesAnswer, resendAnswer, sessionAnswer, twoStepAnswer, twoStepSetUpAnswer, userAnswer, userView } from './schemas/accounts.ts';
import { adminAdsAnswer, adminAdView, adminUserAnswer, adminUserDetail, adminUsersAnswer, adminUserView, clearedAnswer, verificationCodesAnswer, verificationCodeView } from './schemas/admin.ts';
import { adAnswer, adCard, adCountsAnswer, adListAnswer, adView, adWriteAnswer, reviewAnswer, reviewView, socialMedia } from './schemas/ads.ts';
import { jobAnswer, jobCard, jobsAnswer, jobsWrittenAnswer, jobView, queuesAnswer, queueView } from './schemas/jobs.ts';
import { differencesAnswer, parkedEventsAnswer, parkedEventView, previousVersionView, projectionsAnswer, projectionView, rebuildRequestedAnswer, rebuildView, rowDifferenceView } from './schemas/replay.ts';
import { overviewAnswer, overviewView } from './schemas/overview.ts';
import { adminArticleAnswer, adminArticleCard, adminArticlesAnswer, adminArticleView, articleAnswer, articleCard, articleListAnswer, articleView, articleWriteAnswer } from './schemas/blog.ts';
import {
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
} from './schemas/community.ts';
import { doneAnswer } from './schemas/common.ts';
import { errorAnswer } from './schemas/errors.ts';
import { dailyRootsAnswer, dailyRootView, inclusionProofView, logAnswer, logEntryView, proofAnswer } from './schemas/audit.ts';
import { staffReadsAnswer, staffReadView } from './schemas/privacy.ts';
import { favoriteAnswer, favoritesAnswer } from './schemas/favorites.ts';
import { adLiveMessage, liveMessage, threadLiveMessage } from './schemas/live.ts';
import { accountAsOfAnswer, accountAsOfView, adAsOfAnswer, adAsOfView, adRankAnswer, changeView, historyAnswer, historyEntryView, threadAsOfAnswer, threadAsOfView } from './schemas/history.ts';
import { photoUploadAnswer, photoView, videoUploadAnswer, videoView } from './schemas/media.ts';
import {
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
} from './schemas/moderation.ts';
import { erasureAnswer, erasureView, personDataAnswer, personDataView, receiptAnswer } from './schemas/person.ts';
import { transparencyAnswer, transparencyReport } from './schemas/transparency.ts';
import { hidingRulesAnswer, hidingRuleView, hidingRuleWriteAnswer, ruleHitView, ruleTrialAnswer } from './schemas/rules.ts';
import { identityAnswer, identityChecksAnswer, identityCheckView } from './schemas/identity.ts';
import { searchAnswer } from './schemas/search.ts';
import { healthAnswer, syncAnswer } from './schemas/system.ts';

/** Schemas with a name of their own in the API document; wherever one is used, the document refers to it. */

/** What the API answers. Every property is there, and no other. */
export const ANSWERS: Readonly<Record<string, z.ZodMiniType>> = {
  UserView: userView,
  UserAnswer: userAnswer,
  SessionAnswer: sessionAnswer,
  IdentityAnswer: identityAnswer,
  IdentityCheckView: identityCheckView,
  IdentityChecksAnswer: identityChecksAnswer,
  TwoStepAnswer: twoStepAnswer,
  TwoStepSetUpAnswer: twoStepSetUpAnswer,
  RecoveryCodesAnswer: recoveryCodesAnswer,
  ResendAnswer: resendAnswer,
  DoneAnswer: doneAnswer,
  PhotoView: photoView,
  VideoView: videoView,
  SocialMedia: socialMedia,
  ReviewView: reviewView,
  AdCard: adCard,
  AdView: adView,
  AdListAnswer: adListAnswer,
  AdCountsAnswer: adCountsAnswer,
  AdAnswer: adAnswer,
  AdWriteAnswer: adWriteAnswer,
  ReviewAnswer: reviewAnswer,
  UploadAnswer: photoUploadAnswer,
  VideoUploadAnswer: videoUploadAnswer,
  StaffReadView: staffReadView,
  StaffReadsAnswer: staffReadsAnswer,
  LogEntryView: logEntryView,
  DailyRootView: dailyRootView,
  InclusionProofView: inclusionProofView,
  LogAnswer: logAnswer,
  DailyRootsAnswer: dailyRootsAnswer,
  ProofAnswer: proofAnswer,
  FavoritesAnswer: favoritesAnswer,
  FavoriteAnswer: favoriteAnswer,
  ThreadCard: threadCard,
  ThreadView: threadView,
  PostView: postView,
  ThreadListAnswer: threadListAnswer,
  ThreadAnswer: threadAnswer,
  ThreadWriteAnswer: threadWriteAnswer,
  CommunityLocationsAnswer: communityLocationsAnswer,
  HelpfulAnswer: helpfulAnswer,
  FollowAnswer: followAnswer,
  FollowsAnswer: followsAnswer,
  PostHistoryAnswer: postHistoryAnswer,
  PreviewAnswer: previewAnswer,
  HiddenPostsAnswer: hiddenPostsAnswer,
  ReportAnswer: reportAnswer,
  ReportStatusAnswer: reportStatusAnswer,
  ProofView: proofView,
  StatementView: statementView,
  StatementsAnswer: statementsAnswer,
  StatementAnswer: statementAnswer,
  AppealAnswer: appealAnswer,
  StaffDecisionView: staffDecisionView,
  ContentView: contentView,
  CaseCard: caseCard,
  CaseView: caseView,
  CasesAnswer: casesAnswer,
  CaseAnswer: caseAnswer,
  CaseWriteAnswer: caseWriteAnswer,
  ChangeView: changeView,
  HistoryEntryView: historyEntryView,
  HistoryAnswer: historyAnswer,
  AdAsOfView: adAsOfView,
  AdAsOfAnswer: adAsOfAnswer,
  AdRankAnswer: adRankAnswer,
  AccountAsOfView: accountAsOfView,
  AccountAsOfAnswer: accountAsOfAnswer,
  ThreadAsOfView: threadAsOfView,
  ThreadAsOfAnswer: threadAsOfAnswer,
  TransparencyReport: transparencyReport,
  TransparencyAnswer: transparencyAnswer,
  ArticleCard: articleCard,
  ArticleView: articleView,
  ArticleListAnswer: articleListAnswer,
  ArticleAnswer: articleAnswer,
  AdminArticleCard: adminArticleCard,
  AdminArticleView: adminArticleView,
  AdminArticlesAnswer: adminArticlesAnswer,
  AdminArticleAnswer: adminArticleAnswer,
  ArticleWriteAnswer: articleWriteAnswer,
  SearchAnswer: searchAnswer,
  AdminUserView: adminUserView,
  AdminUsersAnswer: adminUsersAnswer,
  AdminUserDetail: adminUserDetail,
  AdminUserAnswer: adminUserAnswer,
  HidingRuleView: hidingRuleView,
  HidingRulesAnswer: hidingRulesAnswer,
  HidingRuleWriteAnswer: hidingRuleWriteAnswer,
  RuleHitView: ruleHitView,
  RuleTrialAnswer: ruleTrialAnswer,
  RebuildView: rebuildView,
  PreviousVersionView: previousVersionView,
  ProjectionView: projectionView,
  ProjectionsAnswer: projectionsAnswer,
  RowDifferenceView: rowDifferenceView,
  DifferencesAnswer: differencesAnswer,
  ParkedEventView: parkedEventView,
  ParkedEventsAnswer: parkedEventsAnswer,
  RebuildRequestedAnswer: rebuildRequestedAnswer,
  QueueView: queueView,
  QueuesAnswer: queuesAnswer,
  JobCard: jobCard,
  JobView: jobView,
  JobsAnswer: jobsAnswer,
  JobAnswer: jobAnswer,
  JobsWrittenAnswer: jobsWrittenAnswer,
  OverviewView: overviewView,
  OverviewAnswer: overviewAnswer,
  AdminAdView: adminAdView,
  AdminAdsAnswer: adminAdsAnswer,
  VerificationCodeView: verificationCodeView,
  VerificationCodesAnswer: verificationCodesAnswer,
  ClearedAnswer: clearedAnswer,
  HealthAnswer: healthAnswer,
  SyncAnswer: syncAnswer,
  AdLiveMessage: adLiveMessage,
  ThreadLiveMessage: threadLiveMessage,
  LiveMessage: liveMessage,
  ErasureView: erasureView,
  ErasureAnswer: erasureAnswer,
  ReceiptAnswer: receiptAnswer,
  PersonDataView: personDataView,
  PersonDataAnswer: personDataAnswer,
  ErrorAnswer: errorAnswer,
};

/** What the API is sent. Properties that are not known are ignored. */
export const BODIES: Readonly<Record<string, z.ZodMiniType>> = {
  Reason: reasonFields,
  SignUp: signUpFields,
  LogIn: logInFields,
  VerifyEmail: verifyEmailFields,
  MailAddress: forgotPasswordFields,
  ResetPassword: resetPasswordFields,
  ChangePassword: changePasswordFields,
  Profile: profileFields,
  TwoStepSetUp: twoStepSetUpFields,
  TwoStepConfirm: twoStepConfirmFields,
  TwoStepDisable: twoStepDisableFields,
  IdentityDecision: identityDecisionFields,
  Role: roleFields,
  Erasure: erasureFields,
  PersonReason: personReasonFields,
  SocialMediaFields: socialMediaFields,
  NewAd: newAdFields,
  AdChanges: adChanges,
  NewReview: reviewFields,
  NewConsent: newConsent,
  NewFavorite: newFavorite,
  Feature: featureFields,
  NewThread: newThreadFields,
  NewReply: newReplyFields,
  PostChanges: postChanges,
  PostPreview: previewFields,
  Follow: followFields,
  Unsubscribe: unsubscribeFields,
  NewReport: newReport,
  DecideCase: decideCaseFields,
  DecideAppeal: decideAppealFields,
  NewAppeal: appealFields,
  SkipEvent: skipFields,
  HidingRule: hidingRuleFields,
  TryRule: tryRuleFields,
  Hide: hideFields,
  Lock: lockFields,
  Pin: pinFields,
  Move: moveFields,
  NewArticle: newArticleFields,
  ArticleChanges: articleChanges,
  ArticleCorrection: articleCorrection,
  ArticlePreview: articlePreviewFields,
  Publish: publishFields,
  Withdraw: withdrawFields,
};
