/** What visitors are asked before they see the site, and below it (product decisions, "Who may do what"). */
export const CONSENT_KINDS = ['age_gate', 'guidelines', 'cookies'] as const;
export type ConsentKind = (typeof CONSENT_KINDS)[number];
export const CONSENT_CHOICES = ['accepted', 'essential', 'all'] as const;
export type ConsentChoice = (typeof CONSENT_CHOICES)[number];

/** The version of each text that is shown now. Raised when a text changes in meaning. */
export const CONSENT_TEXT_VERSIONS: Readonly<Record<ConsentKind, number>> = { age_gate: 1, guidelines: 1, cookies: 1 };
