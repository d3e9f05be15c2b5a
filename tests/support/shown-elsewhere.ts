import { onAnswer } from './api-document.ts';
import { note, propertiesNamed } from './seen-properties.ts';

/**
 * Answers that need a flow of their own before they have shown all they may say: by the integration test that goes it, and holds every
 * property of them seen there (`watchShown`). All others are the matter of `openapi.test.ts`.
 */
export const SHOWN_BY = {
  'audit-api.test.ts': [
    'LogEntryView',
    'DailyRootView',
    'InclusionProofView',
    'LogAnswer',
    'DailyRootsAnswer',
    'ProofAnswer',
  ],
  'erasure.test.ts': ['ErasureView', 'ErasureAnswer', 'ReceiptAnswer', 'PersonDataView', 'PersonDataAnswer'],
  'hiding-rules.test.ts': [
    'HidingRuleView',
    'HidingRuleWriteAnswer',
    'HidingRulesAnswer',
    'RuleHitView',
    'RuleTrialAnswer',
  ],
  'identity.test.ts': ['IdentityAnswer', 'IdentityCheckView', 'IdentityChecksAnswer'],
  'jobs.test.ts': ['JobCard', 'JobView', 'JobsAnswer', 'JobAnswer', 'JobsWrittenAnswer'],
  'moderation.test.ts': [
    'ReportStatusAnswer',
    'StatementView',
    'StatementsAnswer',
    'StatementAnswer',
    'AppealAnswer',
    'StaffDecisionView',
    'ContentView',
    'CaseCard',
    'CaseView',
    'CasesAnswer',
    'CaseAnswer',
    'CaseWriteAnswer',
  ],
  'replay-api.test.ts': [
    'RebuildView',
    'PreviousVersionView',
    'ProjectionView',
    'ProjectionsAnswer',
    'RowDifferenceView',
    'DifferencesAnswer',
    'ParkedEventView',
    'ParkedEventsAnswer',
    'RebuildRequestedAnswer',
  ],
  'two-step.test.ts': ['TwoStepAnswer', 'TwoStepSetUpAnswer', 'RecoveryCodesAnswer'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Watches every answer the API's client gets from here on; `missing` names what of this file's answers was never seen with a value. */
export function watchShown(file: keyof typeof SHOWN_BY): { missing(): readonly string[]; stop(): void } {
  const seen = new Set<string>();
  const stop = onAnswer((schema, body) => note(seen, schema, body));
  return { missing: () => SHOWN_BY[file].flatMap(propertiesNamed).filter((property) => !seen.has(property)), stop };
}
