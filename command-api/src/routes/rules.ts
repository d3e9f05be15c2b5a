import { randomUUID } from 'node:crypto';
import {
  changeHidingRule,
  discardHidingRule,
  DomainError,
  draftHidingRule,
  HIDING_RULE_ID,
  hidingRule,
  hidingRuleFields,
  switchHidingRuleOff,
  switchHidingRuleOn,
  tryRuleFields,
  type HidingRuleEvent,
  type HidingRuleState,
  type HidingRuleWriteAnswer,
  type RuleTrialAnswer,
} from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  shownOf,
  type Authentication,
  type CommandHandler,
  type RuleTrials,
  type StaffReads,
} from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { bodyOf } from '../ad-input.ts';
import { staffOrigin } from './staff-requests.ts';

export interface RuleDependencies {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly ruleTrials: RuleTrials;
  readonly staffReads: StaffReads;
}

/** What admins do with hiding rules, to be mounted at `/admin/rules`. Each admin is the actor of what they do. */
export function ruleRoutes({ commands, authentication, ruleTrials, staffReads }: RuleDependencies): Router {
  const router = Router();

  /** Handles a command on the rule a path names, and answers. */
  async function onRule(
    req: Request,
    res: Response,
    message: string,
    decide: (state: HidingRuleState) => readonly HidingRuleEvent[],
  ): Promise<void> {
    const admin = await authentication.requireAdmin(req);
    const ruleId = ruleIdFrom(req);
    setPosition(res, await commands.handle(hidingRule, ruleId, decide, staffOrigin(admin, res)));
    res.json({ success: true, message, data: { id: ruleId } } satisfies HidingRuleWriteAnswer);
  }

  router.post('/', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const fields = parseInput(hidingRuleFields, bodyOf(req));
    const ruleId = randomUUID();
    setPosition(
      res,
      await commands.handle(
        hidingRule,
        ruleId,
        (state) => draftHidingRule(ruleId, fields, state),
        staffOrigin(admin, res),
        { isNew: true },
      ),
    );
    res
      .status(201)
      .setHeader('Location', `/api/admin/rules/${ruleId}`)
      .json({ success: true, message: 'Rule saved', data: { id: ruleId } } satisfies HidingRuleWriteAnswer);
  });

  router.post('/try', jsonBody, async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { cursor, ...conditions } = parseInput(tryRuleFields, bodyOf(req));
    const { hits, examined, total, cursor: nextCursor } = await ruleTrials.run(conditions, cursor);
    // Words of ads that are gone are no longer public.
    await staffReads.note({
      staffId: admin.account.accountId,
      what: 'tryHidingRule',
      ...shownOf(hits.map(({ accountId }) => accountId)),
      requestId: requestIdOf(res),
    });
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: [...hits], examined, total, nextCursor } satisfies RuleTrialAnswer);
  });

  router.put('/:id', jsonBody, async (req, res) => {
    // Who may not write rules is told nothing of what is wrong with one.
    await authentication.requireAdmin(req);
    const fields = parseInput(hidingRuleFields, bodyOf(req));
    await onRule(req, res, 'Rule saved', (state) => changeHidingRule(fields, state));
  });

  router.delete('/:id', (req, res) => onRule(req, res, 'Rule discarded', discardHidingRule));

  router.post('/:id/on', jsonBody, (req, res) => onRule(req, res, 'Rule switched on', switchHidingRuleOn));

  router.post('/:id/off', jsonBody, (req, res) => onRule(req, res, 'Rule switched off', switchHidingRuleOff));

  return router;
}

/** The rule a request's path names. Throws HIDING_RULE_NOT_FOUND for what cannot be a rule's id. */
function ruleIdFrom(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !HIDING_RULE_ID.test(id)) throw new DomainError('HIDING_RULE_NOT_FOUND');
  return id;
}
