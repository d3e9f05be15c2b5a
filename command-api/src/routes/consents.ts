import { consent } from '@alpenglow/domain';
import { recordConsent } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';

import type { Dependencies } from '../dependencies.ts';
import { createObjectId, createVisitorOrigin } from '../origin.ts';

/** `POST /consents`: stores what the caller has confirmed, when, and in which version of the text (T-1). */
export function consentRoutes({ commands, authentication }: Dependencies<'commands' | 'authentication'>) {
  const router = createOperationRouter();
  router.on('recordConsent', async (req, res) => {
    const principal = await authentication.findPrincipal(req);
    const { visitorId, ...fields } = getInput(req);
    const accountId = principal?.account.accountId ?? null;
    // A visitor cannot consent in the name of an account, because `visitorId` is a UUID and an account id has another
    // format.
    const origin = createVisitorOrigin(accountId, res);
    const subjectId = accountId ?? visitorId ?? createObjectId(origin);
    const handled = await commands.execute(consent, subjectId, recordConsent, { ...fields, subjectId }, origin);
    setPosition(res, handled);
    res.json({ success: true, message: 'Noted' });
  });
  return router;
}
