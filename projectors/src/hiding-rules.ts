import {
  account,
  listing,
  meetsConditions,
  moderationCase,
  toDomainEvent,
  type HidingRuleFields,
  type Position,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
import { hideAdByRule, readReports, waitUnlessAborted, type CommandHandler, type Pool } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { moveCheckpoint, readCheckpoint, openCheckpoint } from './checkpoints.ts';
import { hidingRules as rulesTable } from './projections/hiding-rules.ts';

/**
 * The name of the duty, a background task of one process, that hides ads by the hiding rules of the admins. The
 * checkpoint of the duty has the same name.
 */
export const HIDING_RULES_DUTY = 'reactor-hiding-rules';

/**
 * The types of events after which an ad is checked against the hiding rules. The event `CaseReportAdded` is a new
 * report, for example about the ad, one of its pictures or the account of its owner.
 */
const TRIGGER_TYPES = ['AdPosted', 'AdUpdated', 'CaseReportAdded'];

type HidingRulesDependencies = Dependencies<'store' | 'pool' | 'commands' | 'log'>;

const POLL_ms = 500;

interface ActiveRule extends HidingRuleFields {
  readonly ruleId: string;
}

/**
 * Checks new events against the active hiding rules and hides the ads that match, until `signal` aborts. Rejects if the
 * database or the store fails. The duty is then started again from its checkpoint. Some events are then handled twice,
 * which is harmless because hiding is idempotent.
 */
export async function runHidingRules(deps: HidingRulesDependencies, signal: AbortSignal): Promise<void> {
  const { store, pool, log } = deps;
  // The first start begins at the end of the event log, so earlier events are not checked.
  let position = await openCheckpoint(pool, HIDING_RULES_DUTY, () => store.readHead());
  // On the first start, the table of hiding rules may not exist yet. The projection of the rules creates the table
  // together with this checkpoint.
  while (!(await readCheckpoint(pool, rulesTable.name))) {
    if (signal.aborted) return;
    await waitUnlessAborted(POLL_ms, signal);
  }
  for await (const batch of store.subscribeAll({ after: position, types: TRIGGER_TYPES, signal })) {
    const rules = await readActiveRules(pool);
    if (rules.length > 0) {
      for (const recorded of batch) {
        const hiddenBy = await applyRules(deps, rules, recorded);
        if (hiddenBy !== null) log.info({ rule: hiddenBy, position: recorded.position }, 'ad hidden by a rule');
      }
    }
    const from: Position = position;
    position = batch.at(-1)?.position ?? from;
    await moveCheckpoint(pool, HIDING_RULES_DUTY, from, position);
  }
}

async function readActiveRules(pool: Pool): Promise<readonly ActiveRule[]> {
  const { rows } = await pool.query<ActiveRule>({
    name: 'hiding-rules-in-force',
    text: `select rule_id as "ruleId", title, category, phrases, younger_than_days as "youngerThanDays",
                  min_reports as "minReports", rule, facts
             from rm.hiding_rules where status = 'on' order by rule_id`,
  });
  return rows;
}

/**
 * Hides the ad that an event is about if a hiding rule matches. Returns the id of the matching rule, or null if no ad
 * was hidden.
 */
async function applyRules(
  { commands, store }: HidingRulesDependencies,
  rules: readonly ActiveRule[],
  recorded: RecordedEvent,
): Promise<string | null> {
  const event = toDomainEvent(recorded);
  const accountId = event && (await ownerOf(commands, event));
  if (event === null || accountId === null) return null;
  const [{ state: slot }, { state: owner }] = await Promise.all([
    commands.load(listing, accountId),
    commands.load(account, accountId),
  ]);
  const { ad } = slot;
  if (!ad) return null;
  const { at } = event.meta;
  const needsReports = rules.some(({ minReports }) => minReports !== null);
  const subjects = [
    { kind: 'account', id: accountId } as const,
    { kind: 'ad', id: ad.adId } as const,
    ...[...ad.photos, ...(ad.video === null ? [] : [ad.video])].map((id) => ({ kind: 'media', id }) as const),
  ];
  const reports = needsReports ? await readReports(store, subjects) : [];
  const match = rules.find((rule) =>
    meetsConditions(rule, { ad, accountId, registeredAt: owner?.registeredAt ?? null, reports, at }),
  );
  if (!match) return null;
  const { ruleId: hidingRuleId, rule, facts } = match;
  const origin = {
    actor: { kind: 'system', name: HIDING_RULES_DUTY },
    correlationId: event.meta.correlationId,
    causationId: event.id,
  } as const;
  const ads = { ownerOf: () => Promise.resolve(accountId) };
  return (await hideAdByRule({ commands, ads }, { adId: ad.adId, hidingRuleId, rule, facts }, origin)) && match.ruleId;
}

/**
 * Returns the id of the account that owns the ad, picture or profile that an event is about. Returns null if there is
 * no owner.
 */
async function ownerOf(commands: CommandHandler, event: RecordedDomainEvent): Promise<string | null> {
  if (event.type === 'AdPosted' || event.type === 'AdUpdated') return event.data.accountId;
  if (event.type !== 'CaseReportAdded') return null;
  const { state } = await commands.load(moderationCase, event.data.caseId);
  return state && ['ad', 'media', 'account'].includes(state.subject.kind) ? state.ownerId : null;
}
