import type { ReportReason } from '../report/fields.ts';

/** The house rules. Each statement of reasons quotes one of them. */
export const HOUSE_RULES = {
  under_age: 'Nobody under 18, and nobody who could be taken for it, may be shown, offered or written about.',
  forced: 'Nobody may be offered, shown or written about who does not act of their own free will.',
  consent: 'Pictures, numbers and names of other people need their consent.',
  stolen: 'Words and pictures of somebody else may not be used without their permission.',
  illegal: 'What the law forbids may not be offered or asked for.',
  spam: 'The same again and again, tricks to get attention, and advertising for other places are not allowed.',
  explicit: 'Pictures and words must keep to the guidelines on what may be shown.',
  contact: 'Contact details and private facts of others may not be published.',
  other: 'Everything else the guidelines ask for.',
} as const;

export type HouseRule = keyof typeof HOUSE_RULES;

export const HOUSE_RULE_IDS = Object.keys(HOUSE_RULES) as readonly HouseRule[] as readonly [HouseRule, ...HouseRule[]];

/** The default house rule for each reason of a report. Automated decisions use this rule. */
export const DEFAULT_RULE_BY_REASON: Readonly<Record<ReportReason, HouseRule>> = {
  under_age: 'under_age',
  forced: 'forced',
  my_content: 'consent',
  stolen: 'stolen',
  illegal: 'illegal',
  spam: 'spam',
  other: 'other',
  known_image: 'illegal',
};
