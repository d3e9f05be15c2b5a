import {
  hidingRule,
  type HidingRuleEvent,
  type HidingRuleState,
  type ResponseOf,
  type Decider,
} from '@alpenglow/domain';
import {
  changeHidingRule,
  discardHidingRule,
  draftHidingRule,
  switchHidingRuleOff,
  switchHidingRuleOn,
} from '@alpenglow/domain/deciders';
import {
  parseJsonBody,
  createOperationRouter,
  getInput,
  getPath,
  getRequestId,
  setPosition,
  summarizeSubjects,
  type RequestWithPath,
} from '@alpenglow/infra';
import type { Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { createObjectId, createOrigin } from '../origin.ts';

/**
 * The operations with which admins manage hiding rules, which hide ads automatically. Each event records the admin as
 * its actor.
 */
export function ruleRoutes({
  commands,
  authentication,
  ruleTrials,
  staffReads,
}: Dependencies<'commands' | 'authentication' | 'ruleTrials' | 'staffReads'>) {
  const router = createOperationRouter();

  /** Executes a command on the hiding rule whose id is in the request path, and sends the response. */
  async function handleOnRule<Command>(
    req: RequestWithPath<{ readonly id: string }>,
    res: Response,
    message: string,
    decide: Decider<Command, HidingRuleState, HidingRuleEvent>,
    command: Command,
  ): Promise<void> {
    const admin = await authentication.requireAdmin(req);
    const { id: ruleId } = getPath(req);
    setPosition(res, await commands.execute(hidingRule, ruleId, decide, command, createOrigin(admin, res)));
    res.json({ success: true, message, data: { id: ruleId } } satisfies ResponseOf<'draftHidingRule'>);
  }

  router.on('draftHidingRule', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const fields = getInput(req);
    const origin = createOrigin(admin, res);
    const ruleId = createObjectId(origin);
    const command = { ruleId, fields };
    setPosition(res, await commands.execute(hidingRule, ruleId, draftHidingRule, command, origin, { isNew: true }));
    res
      .status(201)
      .setHeader('Location', `/api/admin/rules/${ruleId}`)
      .json({ success: true, message: 'Rule saved', data: { id: ruleId } });
  });

  router.on('tryHidingRule', async (req, res) => {
    const admin = await authentication.requireAdmin(req);
    const { cursor, ...conditions } = getInput(req);
    const { hits, examined, total, cursor: nextCursor } = await ruleTrials.runBatch(conditions, cursor);
    // A trial returns the matching ads, which may include ads that are not public. Therefore, it is recorded which
    // admin has read them.
    await staffReads.record({
      staffId: admin.account.accountId,
      what: 'tryHidingRule',
      ...summarizeSubjects(hits.map(({ accountId }) => accountId)),
      mediaId: null,
      requestId: getRequestId(res),
    });
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data: [...hits], examined, total, nextCursor });
  });

  router.on('changeHidingRule', async (req, res) => {
    // The role of the caller is checked before the request body, so that callers who are not admins receive no
    // validation errors.
    await authentication.requireAdmin(req);
    const fields = getInput(req);
    await handleOnRule(req, res, 'Rule saved', changeHidingRule, { fields });
  });

  router.on('discardHidingRule', (req, res) => handleOnRule(req, res, 'Rule discarded', discardHidingRule, {}));

  router.on('switchHidingRuleOn', parseJsonBody, (req, res) =>
    handleOnRule(req, res, 'Rule switched on', switchHidingRuleOn, {}),
  );

  router.on('switchHidingRuleOff', parseJsonBody, (req, res) =>
    handleOnRule(req, res, 'Rule switched off', switchHidingRuleOff, {}),
  );

  return router;
}
