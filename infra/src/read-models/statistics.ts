import { defineReadModel, required } from './define-read-model.ts';

/**
 * The numbers of sign-ups, new ads and reports of one day. These numbers do not decrease when an account is closed or
 * an ad is deleted later.
 */
export const DAILY_COUNTS = defineReadModel({ name: 'daily_counts', version: 1 })({
  /** The day in UTC, in the format YYYY-MM-DD. */
  day: 'text primary key',
  sign_ups: 'integer not null',
  ads: 'integer not null',
  reports: 'integer not null',
});

/**
 * A number of the transparency report for one day (UTC). Each row counts the events with the same combination of
 * properties. A property that does not apply is null. The rows contain no personal data, so an erasure does not change
 * them.
 */
export const TRANSPARENCY_DAYS = defineReadModel({ name: 'transparency_days', version: 2 })({
  key: 'text primary key',
  day: 'date not null',
  measure: required<
    | 'report'
    | 'decision'
    | 'appeal'
    | 'appeal_decision'
    | 'erasure_request'
    | 'erasure'
    | 'identity_check'
    | 'removal_request'
    | 'removal_decision'
    | 'removal'
  >('text'),
  /** The kind of content that the event concerns, such as an ad or a post. */
  subject: 'text',
  reason: 'text',
  outcome: 'text',
  rule: 'text',
  is_automated: 'boolean',
  /** The duration in seconds, rounded up to one of the fixed steps `STEPS_s`. */
  within_s: 'integer',
  count: 'integer not null',
});
