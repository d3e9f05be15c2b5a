import { onValidResponse } from './api-document.ts';
import { recordProperties, propertiesOfSchema } from './recorded-properties.ts';

/**
 * Response schemas whose properties get values only in a special flow, such as an erasure. They are grouped by the test
 * file of that flow, which checks them with `watchResponseProperties`. `openapi.test.ts` checks all other schemas.
 */
export const SCHEMAS_BY_TEST_FILE = {
  'audit-api.test.ts': [
    'LogEntryView',
    'DailyRootView',
    'InclusionProofView',
    'LogAnswer',
    'DailyRootsAnswer',
    'ProofAnswer',
  ],
  'erasure.test.ts': ['ErasureView', 'ErasureAnswer', 'ReceiptAnswer', 'PersonDataView', 'PersonDataAnswer'],
  'front-end-reports.test.ts': ['DeploymentStatistics', 'FrontEndStatisticsAnswer'],
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
  'removals.test.ts': [
    'ResponseAnswer',
    'RemovalRequestedAnswer',
    'RemovalView',
    'RemovalAnswer',
    'RemovalWriteAnswer',
    'RemovalCard',
    'RemovalsAnswer',
    'StaffRemovalView',
    'StaffRemovalAnswer',
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
  'requests.test.ts': ['FailedRequestView', 'RequestEventView', 'RequestView', 'RequestAnswer'],
  'two-step.test.ts': ['TwoStepAnswer', 'TwoStepSetUpAnswer', 'RecoveryCodesAnswer'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * From now on, records all responses that API clients receive. `missing` returns the properties that never had a value
 * in the schemas that belong to the test file `file`.
 */
export function watchResponseProperties(file: keyof typeof SCHEMAS_BY_TEST_FILE): {
  missing(): readonly string[];
  stop(): void;
} {
  const recorded = new Set<string>();
  const stop = onValidResponse((schema, body) => recordProperties(recorded, schema, body));
  return {
    missing: () => SCHEMAS_BY_TEST_FILE[file].flatMap(propertiesOfSchema).filter((property) => !recorded.has(property)),
    stop,
  };
}
