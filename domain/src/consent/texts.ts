/**
 * The kinds of texts that request the consent of a visitor. The texts are shown before a visitor enters the site, and
 * below its pages.
 */
export const CONSENT_KINDS = ['age_gate', 'guidelines', 'cookies'] as const;
export type ConsentKind = (typeof CONSENT_KINDS)[number];
export const CONSENT_CHOICES = ['accepted', 'essential', 'all'] as const;
export type ConsentChoice = (typeof CONSENT_CHOICES)[number];

/** The current version of each consent text. The version increases when the meaning of the text changes. */
export const CONSENT_TEXT_VERSIONS: Readonly<Record<ConsentKind, number>> = { age_gate: 1, guidelines: 1, cookies: 3 };
