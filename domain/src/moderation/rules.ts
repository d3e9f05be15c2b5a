import type { ReportReason } from '../report/fields.ts';

/**
 * The house rules of the site. When a moderator restricts content, the poster receives a statement of reasons that
 * quotes one of these rules.
 */
export const HOUSE_RULES = {
  under_age: 'Nobody who is or appears to be under 18 may be shown, offered or written about.',
  forced: 'Nobody who does not act of their own free will may be offered, shown or written about.',
  consent: 'Pictures, phone numbers and names of other people require their consent.',
  stolen: 'Text and pictures of other people may not be used without their permission.',
  illegal: 'Nothing that is prohibited by law may be offered or requested.',
  spam: 'Repeated content, tricks to attract attention and advertising for other sites are not allowed.',
  explicit: 'Pictures and text must follow the guidelines on what may be shown.',
  contact: 'Contact details and private information of other people may not be published.',
  other: 'All other rules in the guidelines must be followed.',
} as const;

export type HouseRule = keyof typeof HOUSE_RULES;

export const HOUSE_RULE_IDS = Object.keys(HOUSE_RULES) as readonly HouseRule[] as readonly [HouseRule, ...HouseRule[]];

/** The house rule that matches each reason of a report. Automated decisions quote this rule. */
export const DEFAULT_RULE_BY_REASON: Readonly<Record<ReportReason, HouseRule>> = {
  under_age: 'under_age',
  forced: 'forced',
  my_content: 'consent',
  stolen: 'stolen',
  illegal: 'illegal',
  spam: 'spam',
  other: 'other',
  known_image: 'illegal',
  known_copy: 'consent',
  review_wave: 'spam',
  removal_request: 'consent',
};
