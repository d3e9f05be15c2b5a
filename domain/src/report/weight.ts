/**
 * The weight of a report decides whether it hides the reported content at once. A report
 * without weight still waits for a moderator.
 */

/** Content is hidden if the weights of its reports together are higher than this number. */
export const HIDING_WEIGHT = 0.5;
/** The weight of a report by a person without history. */
export const FULL_WEIGHT = 1;
/**
 * The number of reports with weight and with a hiding reason within 24 hours, from one network, or from one
 * verified account that is at least seven days old.
 */
export const HIDING_REPORTS_OF_NETWORK_MAX = 3;
export const HIDING_REPORTS_OF_ACCOUNT_MAX = 6;
/**
 * The number of reports with weight and with a hiding reason within 24 hours about all content of one owner, from
 * networks. Several networks could otherwise hide all content of an owner before a moderator
 * decides.
 */
export const HIDING_REPORTS_ABOUT_OWNER_MAX = 3;
/** Further reports have this share of their weight, so that three of them must be about the same content. */
export const SHARE_ABOVE_OWNER_LIMIT = 0.25;
/** The number of unfounded cases about an owner after which a new report has only half of its weight. */
const UNFOUNDED_OF_OWNER_MAX = 3;
/** The time for which decided reports count, in days. */
export const REPORT_HISTORY_days = 90;

/** The decisions about earlier reports with hiding reasons. */
export interface ReportHistory {
  /** The number of reports by the reporter after which a moderator restricted the content. */
  readonly confirmed: number;
  /** The number of reports by the reporter after which a moderator left the content visible. */
  readonly unfounded: number;
  /** The number of cases about content of the same owner that a moderator has closed and left visible. */
  readonly unfoundedOfOwner: number;
}

/**
 * Returns the weight of a report, from 0 to 1. The weight falls with the share of unfounded reports of the reporter. It
 * is halved if earlier reports about the same owner were unfounded, so that two persons must report the content.
 */
export function computeReportWeight({ confirmed, unfounded, unfoundedOfOwner }: ReportHistory): number {
  const weight = (confirmed + FULL_WEIGHT) / (confirmed + unfounded + FULL_WEIGHT);
  return unfoundedOfOwner >= UNFOUNDED_OF_OWNER_MAX ? weight / 2 : weight;
}
