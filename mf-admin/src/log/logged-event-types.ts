import { formatEventName } from '../history/labels.ts';
import { translateOr, type useText } from '../text.ts';

/** The types of the entries in the moderation log, in the order of the filter. */
export const LOGGED_EVENT_TYPES = [
  'EmailVerificationCleared',
  'AccountVerifiedByAdmin',
  'RoleGranted',
  'RoleWithdrawn',
  'AccountClosed',
  'ArticleDrafted',
  'ArticleRevised',
  'ArticleScheduled',
  'ArticleUnscheduled',
  'ArticlePublished',
  'ArticleCorrected',
  'ArticleWithdrawn',
  'ArticleDiscarded',
  'HidingRuleDrafted',
  'HidingRuleChanged',
  'HidingRuleSwitchedOn',
  'HidingRuleSwitchedOff',
  'HidingRuleDiscarded',
  'IdentityCheckRequested',
  'IdentityCheckDecided',
  'IdentityEvidenceDestroyed',
  'JobRetried',
  'JobRemoved',
  'DeadJobsRetried',
  'AdDeleted',
  'AdReviewRemoved',
  'AdFeatured',
  'AdHidden',
  'AdHoldLifted',
  'AdRestored',
  'CaseOpened',
  'CaseReportAdded',
  'CaseClaimed',
  'CaseReleased',
  'CaseDecided',
  'AppealFiled',
  'AppealDecided',
  'ErasureRequested',
  'ErasureStepDone',
  'ErasureCompleted',
  'LegalHoldSet',
  'LegalHoldLifted',
  'RebuildRequested',
  'RebuildPaused',
  'RebuildResumed',
  'RebuildCancelled',
  'RebuildSwapRequested',
  'RebuildReverted',
  'ParkedEventRetried',
  'ParkedEventSkipped',
  'ReportFiled',
  'PostHidden',
  'PostRestored',
  'ThreadLocked',
  'ThreadUnlocked',
  'ThreadPinned',
  'ThreadUnpinned',
  'ThreadMoved',
  'AuditChainContinued',
] as const;

/**
 * Returns the name of an event type in the moderation log. Unlike the name in the history of an ad, it includes what
 * the event is about.
 */
export function formatLoggedEventName(t: ReturnType<typeof useText>, type: string): string {
  return translateOr(t, `log.event.${type}`, formatEventName(t, type));
}
