import {
  computeReportWeight,
  DomainError,
  HIDING_REASONS,
  IDEMPOTENCY_KEY_LIFETIME_ms,
  HIDING_REPORTS_ABOUT_OWNER_MAX,
  HIDING_REPORTS_OF_ACCOUNT_MAX,
  HIDING_REPORTS_OF_NETWORK_MAX,
  NEW_ACCOUNT_PERIOD_ms,
  REPORT_HISTORY_days,
  SHARE_ABOVE_OWNER_LIMIT,
  toCaseId,
  type RegisteredAccount,
  type ReportReason,
  type SubjectState,
} from '@alpenglow/domain';
import { limitByNetwork, toNetworkKeys } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

const DAY_s = 24 * 60 * 60;

/**
 * Returns true if an account is the source of its reports. A new or unverified account counts as its network, because
 * one person can open many of them.
 */
const isSource = (reporter: RegisteredAccount | null): reporter is RegisteredAccount =>
  reporter?.emailVerified === true && Date.now() - Date.parse(reporter.registeredAt) >= NEW_ACCOUNT_PERIOD_ms;

interface Client {
  /** The signed-in account, or null. */
  readonly reporter: RegisteredAccount | null;
  /** The network address of the client. */
  readonly address: string | undefined;
}

interface ReportToWeigh extends Client {
  readonly reportId: string;
  readonly reason: ReportReason;
  readonly subject: SubjectState;
}

/**
 * Determines the weight of a report. A report of weight 0 hides nothing, but moderators still
 * receive it.
 */
export function createReportWeights({
  reportHistory,
  counters,
  hashKey,
}: Dependencies<'reportHistory' | 'counters' | 'hashKey'>) {
  /**
   * Adds `by` to a count. Returns true if the count is then at most `max`. While the count is unknown, because the
   * shared counts cannot be reached, only the first report counts.
   */
  async function countUpTo(max: number, key: string, by: number, window_s: number): Promise<boolean> {
    if (counters === null) return true;
    try {
      return (await counters.add(hashKey(key), by, window_s, 'only-first')).count <= max;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'UNAVAILABLE') return false;
      throw error;
    }
  }

  /** Returns true if an earlier attempt to file a report has counted it. */
  async function isCounted(reportId: string): Promise<boolean> {
    return ((await counters?.find(hashKey(`counted report ${reportId}`))) ?? null) !== null;
  }

  const markCounted = (reportId: string) =>
    counters?.add(hashKey(`counted report ${reportId}`), 1, IDEMPOTENCY_KEY_LIFETIME_ms / 1000);

  /** Returns the hash under which the decisions about reports of a network are found later. Null for an account. */
  function findSource({ reporter, address }: Client): string | null {
    if (isSource(reporter)) return null;
    const { subscriber, site } = toNetworkKeys(address);
    return hashKey(`report source ${site ?? subscriber}`);
  }

  /** Counts a report with a hiding reason. Returns false if its source has already filed the maximum number. */
  async function countHidingReport({ reporter, address }: Client, by: number): Promise<boolean> {
    const sources = isSource(reporter)
      ? [{ name: `account ${reporter.accountId}`, max: HIDING_REPORTS_OF_ACCOUNT_MAX }]
      : limitByNetwork(address, HIDING_REPORTS_OF_NETWORK_MAX).map(({ network, max }) => ({
          name: `network ${network}`,
          max,
        }));
    for (const { name, max } of sources) if (!(await countUpTo(max, `hiding reports ${name}`, by, DAY_s))) return false;
    return true;
  }

  return {
    /** Returns the weight of a report, from 0 to 1. */
    async find({ reportId, reason, subject, ...client }: ReportToWeigh): Promise<number> {
      const { reporter, address } = client;
      const source = findSource(client);
      const name =
        reporter && source === null ? `account ${reporter.accountId}` : `network ${toNetworkKeys(address).subscriber}`;
      const caseId = toCaseId(subject.subject);
      // The counters may lose their counts. The stored reports of an account are permanent.
      if (reporter && (await reportHistory.hasReported(reporter.accountId, caseId))) return 0;
      // A repeated request must not count its report a second time.
      const by = (await isCounted(reportId)) ? 0 : 1;
      const isFirst = await countUpTo(1, `report ${caseId} ${name}`, by, REPORT_HISTORY_days * DAY_s);
      await markCounted(reportId);
      if (!isFirst) return 0;
      if (!HIDING_REASONS.includes(reason)) return 1;
      if (!(await countHidingReport(client, by))) return 0;
      const { ownerId } = subject;
      const weight = computeReportWeight(
        await reportHistory.find({ accountId: reporter?.accountId ?? null, source }, ownerId),
      );
      if (source === null || ownerId === null) return weight;
      const isWithinOwnerLimit = await countUpTo(
        HIDING_REPORTS_ABOUT_OWNER_MAX,
        `hiding reports about ${ownerId}`,
        by,
        DAY_s,
      );
      return isWithinOwnerLimit ? weight : weight * SHARE_ABOVE_OWNER_LIMIT;
    },
    /** Stores the source of a report, so that the decision about it counts for later reports of the same network. */
    async storeSource(reportId: string, client: Client): Promise<void> {
      const source = findSource(client);
      if (source !== null) await reportHistory.storeSource(reportId, source);
    },
  };
}
