import {
  account,
  listing,
  meetsConditions,
  moderationCase,
  NewerEventVersionError,
  toDomainEvent,
  UnreadableEventError,
  type HidingRuleFields,
  type RecordedDomainEvent,
  type RecordedEvent,
  hideAdByRule,
} from '@alpenglow/domain';
import {
  HIDING_RULES,
  readReports,
  storedNameOf,
  waitUnlessAborted,
  type CommandHandler,
  type Pool,
} from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { readCheckpoint } from '../checkpoints/checkpoints.ts';
import { hidingRules as rulesTable } from '../projections/hiding-rules.ts';
import { runReaction, type Reaction } from './reactions.ts';

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
/** The rules are read again after this time, so that a rule that was switched off is not applied to a whole page. */
const MAX_RULES_AGE_ms = 100;

interface ActiveRule extends HidingRuleFields {
  readonly ruleId: string;
}

/**
 * Checks new events against the active hiding rules and hides the ads that match, until `signal` aborts. Rejects if the
 * database or the store fails. The duty is then started again from its checkpoint. Some events are then handled twice,
 * which is harmless because hiding is idempotent. An event that cannot be read is parked, which means that it is stored
 * with its error and retried.
 */
export async function runHidingRules(deps: HidingRulesDependencies, signal: AbortSignal): Promise<void> {
  const { pool } = deps;
  // On the first start, the table of hiding rules may not exist yet. The projection of the rules creates the table
  // together with this checkpoint.
  const waitForTable = async () => {
    while (!signal.aborted && !(await readCheckpoint(pool, storedNameOf(pool, rulesTable.name))))
      await waitUnlessAborted(POLL_ms, signal);
  };
  await runReaction({ ...toHidingRulesReaction(deps), onStart: waitForTable }, deps, signal);
}

/** Returns the reaction of the duty, which applies the active hiding rules to an event. */
export function toHidingRulesReaction(deps: HidingRulesDependencies): Reaction {
  const { store, pool, log } = deps;
  return {
    name: HIDING_RULES_DUTY,
    types: TRIGGER_TYPES,
    // The first start begins at the end of the event log, so earlier events are not checked.
    start: () => store.readHead(),
    startPage() {
      let rules: readonly ActiveRule[] = [];
      let readAt_ms = -Infinity;
      return async (recorded) => {
        // The rules are read after the events of the page were written, so a rule that was active then is applied.
        if (performance.now() - readAt_ms > MAX_RULES_AGE_ms) {
          readAt_ms = performance.now();
          rules = await readActiveRules(pool);
        }
        const result = rules.length > 0 ? await applyRulesOrError(deps, rules, recorded) : null;
        if (result instanceof Error) return result;
        if (result !== null) log.info({ rule: result, position: recorded.position }, 'ad hidden by a rule');
        return null;
      };
    },
  };
}

/**
 * Applies the hiding rules to one event. Returns an error that every retry would repeat, because the event or an event
 * of the ad, its owner or its case cannot be read. Throws other errors.
 */
async function applyRulesOrError(
  deps: HidingRulesDependencies,
  rules: readonly ActiveRule[],
  recorded: RecordedEvent,
): Promise<string | Error | null> {
  let event: RecordedDomainEvent | null;
  try {
    event = toDomainEvent(recorded);
  } catch (error) {
    if (error instanceof NewerEventVersionError) throw error;
    return error as Error;
  }
  try {
    return event && (await applyRules(deps, rules, event));
  } catch (error) {
    if (error instanceof UnreadableEventError) return error;
    throw error;
  }
}

async function readActiveRules(pool: Pool): Promise<readonly ActiveRule[]> {
  const { rows } = await pool.query<ActiveRule>({
    name: 'hiding-rules-in-force',
    text: `select rule_id as "ruleId", title, category, phrases, younger_than_days as "youngerThanDays",
                  min_reports as "minReports", rule, facts
             from ${HIDING_RULES.table} where status = 'on' order by rule_id`,
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
  event: RecordedDomainEvent,
): Promise<string | null> {
  const accountId = await ownerOf(commands, event);
  if (accountId === null) return null;
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
    ...(event.meta.traceparent !== undefined && { traceparent: event.meta.traceparent }),
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
