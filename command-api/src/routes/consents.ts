import { randomUUID } from 'node:crypto';
import { consent, newConsent, recordConsent, type DoneAnswer } from '@alpenglow/domain';
import {
  jsonBody,
  parseInput,
  requestIdOf,
  setPosition,
  type Authentication,
  type CommandHandler,
} from '@alpenglow/infra';
import { Router } from 'express';
import { bodyOf } from '../ad-input.ts';

/** `POST /consents`: what was confirmed, when, and which text was shown (design, trust and privacy). */
export function consentRoutes({
  commands,
  authentication,
}: {
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
}): Router {
  const router = Router();
  router.post('/', jsonBody, async (req, res) => {
    const principal = await authentication.optional(req);
    const { visitorId, ...said } = parseInput(newConsent, bodyOf(req));
    const accountId = principal?.account.accountId ?? null;
    // Nobody can say anything in the name of an account: a visitor's id is a UUID, an account's is none.
    const subjectId = accountId ?? visitorId ?? randomUUID();
    const actor =
      accountId === null ? ({ kind: 'system', name: 'visitor' } as const) : ({ kind: 'account', accountId } as const);
    const handled = await commands.handle(consent, subjectId, (state) => recordConsent({ ...said, subjectId }, state), {
      actor,
      correlationId: requestIdOf(res),
    });
    setPosition(res, handled);
    res.json({ success: true, message: 'Noted' } satisfies DoneAnswer);
  });
  return router;
}
