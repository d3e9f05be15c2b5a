import { setTimeout as pause } from 'node:timers/promises';
import {
  account,
  listing,
  meetsConditions,
  moderationCase,
  toDomainEvent,
  type EventStore,
  type HidingRuleFields,
  type Position,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import { hideAdByRule, readReports, type CommandHandler, type Logger, type Pool } from '@alpenglow/infra';
import { moveCheckpoint, readCheckpoint, startCheckpoint } from './checkpoints.ts';
import { hidingRules as rulesTable } from './projections/hiding-rules.ts';

/** The name of the duty, and of its checkpoint. */
export const HIDING_RULES = 'reactor-hiding-rules';

/** What makes a rule look at an ad: it was posted or changed, or somebody reported it, a picture of it or its owner's profile. */
const LOOKED_AT = ['AdPosted', 'AdUpdated', 'CaseReportAdded'];

export interface HidingRulesDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly log: Logger;
}

const LOOK_AGAIN_ms = 500;

interface RuleInForce extends HidingRuleFields {
  readonly ruleId: string;
}

/**
 * Hides what rules that are on say is to be hidden, until `signal` aborts; rejects when the database or the store fails, and is then run
 * again by its leader, from where it was: hiding twice is hiding once.
 */
export async function runHidingRules(deps: HidingRulesDependencies, signal: AbortSignal): Promise<void> {
  const { store, pool, log } = deps;
  // What happened before there were rules is nothing to look at.
  if (!(await readCheckpoint(pool, HIDING_RULES))) await startCheckpoint(pool, HIDING_RULES, 1, await store.head());
  let position = (await readCheckpoint(pool, HIDING_RULES))?.position;
  if (position === undefined) throw new Error('The hiding rules have no checkpoint');
  // On the first start, the table of rules is built beside this.
  while (!(await readCheckpoint(pool, rulesTable.name))) {
    if (signal.aborted) return;
    await pause(LOOK_AGAIN_ms, undefined, { signal }).catch(() => undefined);
  }
  for await (const batch of store.subscribeAll({ after: position, types: LOOKED_AT, signal })) {
    const rules = await rulesInForce(pool);
    if (rules.length > 0) {
      for (const recorded of batch) {
        const hiddenBy = await lookAt(deps, rules, recorded);
        if (hiddenBy !== null) log.info({ rule: hiddenBy, position: recorded.position }, 'ad hidden by a rule');
      }
    }
    const from: Position = position;
    position = batch.at(-1)?.position ?? from;
    await moveCheckpoint(pool, HIDING_RULES, from, position);
  }
}

async function rulesInForce(pool: Pool): Promise<readonly RuleInForce[]> {
  const { rows } = await pool.query<RuleInForce>({
    name: 'hiding-rules-in-force',
    text: `select rule_id as "ruleId", title, category, phrases, younger_than_days as "youngerThanDays", min_reports as "minReports", rule, facts
             from rm.hiding_rules where status = 'on' order by rule_id`,
  });
  return rows;
}

/** The first rule that hides the ad an event is about; null where none does. */
async function lookAt(
  { commands, store }: HidingRulesDependencies,
  rules: readonly RuleInForce[],
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
  const isCounting = rules.some(({ minReports }) => minReports !== null);
  const subjects = [
    { kind: 'account', id: accountId } as const,
    { kind: 'ad', id: ad.adId } as const,
    ...[...ad.photos, ...(ad.video === null ? [] : [ad.video])].map((id) => ({ kind: 'media', id }) as const),
  ];
  const reports = isCounting ? await readReports(store, subjects) : [];
  const found = rules.find((rule) =>
    meetsConditions(rule, { ad, accountId, registeredAt: owner?.registeredAt ?? null, reports, at }),
  );
  if (!found) return null;
  const { ruleId: hidingRuleId, rule, facts } = found;
  const origin = {
    actor: { kind: 'system', name: HIDING_RULES },
    correlationId: event.meta.correlationId,
    causationId: event.id,
  } as const;
  const ads = { ownerOf: () => Promise.resolve(accountId) };
  return (await hideAdByRule({ commands, ads }, { adId: ad.adId, hidingRuleId, rule, facts }, origin)) && found.ruleId;
}

/** Whose ad an event is about; null of content that is nobody's, or no ad's. */
async function ownerOf(commands: CommandHandler, event: Recorded): Promise<string | null> {
  if (event.type === 'AdPosted' || event.type === 'AdUpdated') return event.data.accountId;
  if (event.type !== 'CaseReportAdded') return null;
  const { state } = await commands.load(moderationCase, event.data.caseId);
  return state && ['ad', 'media', 'account'].includes(state.subject.kind) ? state.ownerId : null;
}
