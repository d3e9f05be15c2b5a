import {
  account,
  listing,
  moderationCase,
  streamOf,
  toDomainEvent,
  wouldHide,
  type CountedReport,
  type EventStore,
  type ListingEvent,
  type Recorded,
  type RuleConditions,
  type SlotHistory,
  type WouldHide,
} from '@alpenglow/domain';
import type { Pool } from '../adapters/postgres/pool.ts';

/** Part of a trial: what the rule would have hidden of the accounts looked at. */
export interface RuleTrial {
  readonly hits: readonly WouldHide[];
  /** How many accounts were looked at now. */
  readonly examined: number;
  /** How many there are to look at in all; null but at the beginning. */
  readonly total: number | null;
  /** The last account looked at; null when that was the last of all. */
  readonly cursor: string | null;
}

export interface RuleTrials {
  /** Goes through the histories of the accounts after `after`, some hundred at a time, so that whoever asks can tell how far it is, and stop. */
  run(conditions: RuleConditions, after: string | null): Promise<RuleTrial>;
}

const ACCOUNTS_AT_A_TIME = 200;
const STREAMS_AT_ONCE = 50;
const PAGE = 1_000;
/** More reports than a rule may ask for need not be counted, however many there are. */
const REPORTS_PAGE = 500;

/** Tries a rule over all history. Accounts are found in the read model of whose ads there were, the rest is read from the events. */
export function createRuleTrials({ pool, store }: { readonly pool: Pool; readonly store: EventStore }): RuleTrials {
  return {
    async run(conditions, after) {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'rule-trial-accounts',
        text: `with recursive owners as (
                 (select account_id from rm.ad_owners where account_id > $1 order by account_id limit 1)
                 union all
                 select (select o.account_id from rm.ad_owners o where o.account_id > owners.account_id order by o.account_id limit 1) from owners where owners.account_id is not null
               )
               select account_id from owners where account_id is not null limit $2`,
        values: [after ?? '', ACCOUNTS_AT_A_TIME],
      });
      const accounts = rows.map(({ account_id: id }) => id);
      const hits: WouldHide[] = [];
      for (let from = 0; from < accounts.length; from += STREAMS_AT_ONCE) {
        const histories = await Promise.all(
          accounts.slice(from, from + STREAMS_AT_ONCE).map((accountId) => readSlot(store, accountId, conditions)),
        );
        hits.push(...histories.flatMap((history) => wouldHide(conditions, history)));
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

async function countOwners(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'rule-trial-count',
    text: 'select count(distinct account_id)::integer as count from rm.ad_owners',
  });
  return rows[0]?.count ?? 0;
}

async function readSlot(
  store: EventStore,
  accountId: string,
  { youngerThanDays, minReports }: RuleConditions,
): Promise<SlotHistory> {
  const events: Recorded<ListingEvent>[] = [];
  for (let from = 0; ; from += PAGE) {
    const page = await store.readStream(streamOf(listing, accountId), { from, limit: PAGE });
    for (const recorded of page) {
      const event = toDomainEvent(recorded);
      if (event) events.push(event as Recorded<ListingEvent>);
    }
    if (page.length < PAGE) break;
  }
  const [registered] =
    youngerThanDays === null ? [] : await store.readStream(streamOf(account, accountId), { limit: 1 });
  const reports = minReports === null ? [] : await readReports(store, subjectsOf(accountId, events));
  return { accountId, registeredAt: registered?.meta.at ?? null, events, reports };
}

/** Every ad there was, every picture and video one of them showed, and the profile. */
function subjectsOf(accountId: string, events: readonly Recorded<ListingEvent>[]): readonly CountedReport['subject'][] {
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

/** The reports their cases were given, each with when. */
export async function readReports(
  store: EventStore,
  subjects: readonly CountedReport['subject'][],
): Promise<readonly CountedReport[]> {
  const found = await Promise.all(
    subjects.map(async (subject) => {
      const events = await store.readStream(streamOf(moderationCase, `${subject.kind}-${subject.id}`), {
        limit: REPORTS_PAGE,
      });
      return events.filter(({ type }) => type === 'CaseReportAdded').map(({ meta }) => ({ subject, at: meta.at }));
    }),
  );
  return found.flat();
}
