import type { HidingRuleFields } from './fields.ts';

export interface DraftHidingRule {
  readonly ruleId: string;
  readonly fields: HidingRuleFields;
}

export interface ChangeHidingRule {
  readonly fields: HidingRuleFields;
}
