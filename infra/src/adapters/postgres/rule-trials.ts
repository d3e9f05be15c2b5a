import {
  account,
  toCaseId,
  isConfirmed,
  listing,
  moderationCase,
  toStreamId,
  toDomainEvent,
  findRuleTrialHits,
  type AdConfirmation,
  type CaseState,
  type RuleReport,
  type EventStore,
  type ListingEvent,
  type ModerationEvent,
  type RecordedDomainEvent,
  type RecordedEvent,
  type RuleConditions,
  type AccountAdHistory,
  type RuleTrialHit,
} from '@alpenglow/domain';
import { AD_OWNERS } from '../../read-models/index.ts';
import type { Pool } from './pool.ts';

/**
 * One batch of the trial of a hiding rule, which hides matching ads automatically. `hits` are the ads that the rule
 * would have hidden in the past.
 */
interface RuleTrial {
  readonly hits: readonly RuleTrialHit[];
  readonly examined: number;
  /** The total number of accounts to examine. Defined only in the first batch, null in later batches. */
  readonly total: number | null;
  /** The id of the last examined account, or null if there are no more accounts. */
  readonly cursor: string | null;
}

export type RuleTrials = ReturnType<typeof createRuleTrials>;

const ACCOUNTS_AT_A_TIME = 200;
const STREAMS_AT_ONCE = 50;
const PAGE = 1_000;
/** The maximum number of reports that are counted. No hiding rule can require more reports. */
const REPORTS_PAGE = 500;

/**
 * Tries a hiding rule, which hides matching ads automatically, on all past events. The accounts come from the read
 * model of ad owners, and all other data comes from the events.
 */
export function createRuleTrials({ pool, store }: { readonly pool: Pool; readonly store: EventStore }) {
  return {
    /**
     * Tries the hiding rule on the next accounts, in the order of their ids, starting after the account `after`. A call
     * examines at most 200 accounts, so that the caller can show progress and stop.
     */
    async runBatch(conditions: RuleConditions, after: string | null): Promise<RuleTrial> {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'rule-trial-accounts',
        text: `with recursive owners as (
                 (select account_id from ${AD_OWNERS.table} where account_id > $1 order by account_id limit 1)
                 union all
                 select (select o.account_id from ${AD_OWNERS.table} o
                          where o.account_id > owners.account_id order by o.account_id limit 1)
                   from owners where owners.account_id is not null
               )
               select account_id from owners where account_id is not null limit $2`,
        values: [after ?? '', ACCOUNTS_AT_A_TIME],
      });
      const accounts = rows.map(({ account_id: id }) => id);
      const hits: RuleTrialHit[] = [];
      for (let from = 0; from < accounts.length; from += STREAMS_AT_ONCE) {
        const histories = await Promise.all(
          accounts.slice(from, from + STREAMS_AT_ONCE).map((accountId) => readSlot(store, accountId, conditions)),
        );
        for (const history of histories) hits.push(...(await findHits(store, conditions, history)));
      }
      const total = after === null ? await countOwners(pool) : null;
      return {
        hits,
        examined: accounts.length,
        total,
        cursor: accounts.length === ACCOUNTS_AT_A_TIME ? (accounts.at(-1) ?? null) : null,
      };
    },
  };
}

/**
 * Returns the ads of one account that the hiding rule would have hidden. The decisions of moderators are read only if
 * the account has such ads, because most accounts have none.
 */
async function findHits(
  store: EventStore,
  conditions: RuleConditions,
  history: AccountAdHistory,
): Promise<readonly RuleTrialHit[]> {
  const hits = findRuleTrialHits(conditions, history);
  if (hits.length === 0) return hits;
  const confirmations = await Promise.all(hits.map(({ adId }) => readConfirmations(store, adId)));
  return findRuleTrialHits(conditions, { ...history, confirmations: confirmations.flat() });
}

/** Returns the decisions of moderators that confirmed an ad, with the versions that they confirmed. */
async function readConfirmations(store: EventStore, adId: string): Promise<readonly AdConfirmation[]> {
  const stream = toStreamId(moderationCase, toCaseId({ kind: 'ad', id: adId }));
  const found: AdConfirmation[] = [];
  let state: CaseState = moderationCase.initial;
  for (const recorded of untilUnreadable(await store.readStream(stream, { limit: PAGE }))) {
    const event = toDomainEvent(recorded);
    if (!event) continue;
    state = moderationCase.evolve(state, event as RecordedDomainEvent<ModerationEvent>, event.meta.at);
    const isDecided = event.type === 'CaseDecided' || event.type === 'AppealDecided';
    const revision = state?.decision?.evidence.revision;
    if (isDecided && revision !== undefined && isConfirmed(state, revision))
      found.push({ adId, revision, at: event.meta.at });
  }
  return found;
}

/**
 * Returns the events before the first one whose personal data cannot be decrypted. The later state of the ad is
 * unknown, so a rule is tried only on the time before that event.
 */
function untilUnreadable(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const end = events.findIndex(({ unreadable }) => unreadable !== undefined);
  return end < 0 ? events : events.slice(0, end);
}

async function countOwners(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'rule-trial-count',
    text: `select count(distinct account_id)::integer as count from ${AD_OWNERS.table}`,
  });
  return rows[0]?.count ?? 0;
}

async function readSlot(
  store: EventStore,
  accountId: string,
  { youngerThanDays, minReports }: RuleConditions,
): Promise<AccountAdHistory> {
  const events: RecordedDomainEvent<ListingEvent>[] = [];
  for (let from = 0; ; from += PAGE) {
    const page = await store.readStream(toStreamId(listing, accountId), { from, limit: PAGE });
    const readable = untilUnreadable(page);
    for (const recorded of readable) {
      const event = toDomainEvent(recorded);
      if (event) events.push(event as RecordedDomainEvent<ListingEvent>);
    }
    if (readable.length < PAGE) break;
  }
  const [registered] =
    youngerThanDays === null ? [] : await store.readStream(toStreamId(account, accountId), { limit: 1 });
  const reports = minReports === null ? [] : await readReports(store, subjectsOf(accountId, events));
  return { accountId, registeredAt: registered?.meta.at ?? null, events, reports, confirmations: [] };
}

/** Returns everything of an account that other people can report: its ads, their photos and videos, and its profile. */
function subjectsOf(
  accountId: string,
  events: readonly RecordedDomainEvent<ListingEvent>[],
): readonly RuleReport['subject'][] {
  const ads = new Set<string>();
  const media = new Set<string>();
  for (const { type, data } of events) {
    if (type !== 'AdPosted' && type !== 'AdUpdated') continue;
    ads.add(data.adId);
    for (const id of [...(data.photos ?? []), data.video]) if (id != null) media.add(id);
  }
  return [
    { kind: 'account', id: accountId },
    ...[...ads].map((id) => ({ kind: 'ad', id }) as const),
    ...[...media].map((id) => ({ kind: 'media', id }) as const),
  ];
}

const isCounted = ({ weight, reason }: { readonly weight?: number; readonly reason: string }): boolean =>
  weight !== 0 && reason !== 'removal_request';

/**
 * Returns the reports about these reported objects, e.g. ads or photos, with the time of each report. Omits reports
 * without weight, and removal requests, which end with their own decision.
 */
export async function readReports(
  store: EventStore,
  subjects: readonly RuleReport['subject'][],
): Promise<readonly RuleReport[]> {
  const found = await Promise.all(
    subjects.map(async (subject) => {
      const events = await store.readStream(toStreamId(moderationCase, toCaseId(subject)), {
        limit: REPORTS_PAGE,
      });
      return events
        .filter(
          ({ type, data }) => type === 'CaseReportAdded' && isCounted(data as { weight?: number; reason: string }),
        )
        .map(({ meta }) => ({ subject, at: meta.at }));
    }),
  );
  return found.flat();
}
