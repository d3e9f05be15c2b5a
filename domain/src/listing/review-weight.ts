import { NEW_ACCOUNT_PERIOD_ms } from '../constants.ts';

/**
 * The weight of a review in the average rating. New accounts cost nothing, so their reviews count little. A
 * review keeps its weight when it is edited.
 */

/** The weight of a review by a new account, or by an account whose content a moderator has restricted. */
export const LEAST_WEIGHT = 1;
/** The weight of a review of a demo ad, and of a review that was written before weights existed. */
export const DEFAULT_WEIGHT = 2;
const OLD_ACCOUNT_WEIGHT = 4;
const OLD_ACCOUNT_PERIOD_ms = 90 * 24 * 60 * 60_000;

/** Moderators get a report at each multiple of this number of least-weight reviews within a week. */
const WAVE_REVIEWS = 3;

/** The facts about an author that decide on the weight of a review. */
export interface ReviewerHistory {
  /** The time of the sign-up in ISO 8601. */
  readonly registeredAt: string;
  /** True if a moderator restricted content of the account within 90 days. */
  readonly isRestricted: boolean;
}

/** Returns the weight of a review that is written at the time `now` (ISO 8601). */
export function computeReviewWeight({ registeredAt, isRestricted }: ReviewerHistory, now: string): number {
  const age_ms = Date.parse(now) - Date.parse(registeredAt);
  if (isRestricted || age_ms < NEW_ACCOUNT_PERIOD_ms) return LEAST_WEIGHT;
  return age_ms < OLD_ACCOUNT_PERIOD_ms ? DEFAULT_WEIGHT : OLD_ACCOUNT_WEIGHT;
}

interface WeighedReview {
  readonly rating: number;
  /** Absent in reviews of demo ads and in old reviews. */
  readonly weight?: number | undefined;
}

/** Returns the sum of the ratings, each multiplied by the weight of its review, and the sum of the weights. */
export function sumRatings(reviews: readonly WeighedReview[]): {
  readonly ratingSum: number;
  readonly weightSum: number;
} {
  let ratingSum = 0;
  let weightSum = 0;
  for (const { rating, weight = DEFAULT_WEIGHT } of reviews) {
    ratingSum += rating * weight;
    weightSum += weight;
  }
  return { ratingSum, weightSum };
}

/** Returns the average rating with one decimal, and 0 without reviews. */
export function toAverageRating(ratingSum: number, weightSum: number): number {
  return weightSum === 0 ? 0 : Math.round((ratingSum / weightSum) * 10) / 10;
}

/**
 * Returns the number of least-weight reviews in the last week, including a new one at the time `now`. Returns null if
 * moderators get no report. `times` are the times of the earlier visible least-weight reviews.
 */
export function findReviewWave(times: readonly string[], now: string): number | null {
  const count = 1 + times.filter((at) => Date.parse(now) - Date.parse(at) < NEW_ACCOUNT_PERIOD_ms).length;
  return count % WAVE_REVIEWS === 0 ? count : null;
}
