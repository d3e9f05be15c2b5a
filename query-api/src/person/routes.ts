import { account, DomainError, person } from '@alpenglow/domain';
import { createOperationRouter, getPath, waitForPosition } from '@alpenglow/infra';
import { sendUncached } from '../send-uncached.ts';
import type { Dependencies } from '../dependencies.ts';
import { createErasureReader } from './erasure-reader.ts';

type PersonReadDependencies = Dependencies<'pool' | 'commands' | 'authentication' | 'progress'>;

const READ_MODELS = ['erasures'];

/**
 * `/account/erasure/:receiptId`: returns the progress of an erasure, which removes all personal data of an account. The
 * caller needs the id of the receipt but no session, because the account may not exist any more.
 */
export function receiptRoutes({ pool, progress }: PersonReadDependencies) {
  const erasures = createErasureReader(pool);
  const router = createOperationRouter();
  router.on('getErasure', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const data = await erasures.findByReceipt(req.params.receiptId);
    if (data === null) throw new DomainError('ERASURE_NOT_FOUND');
    sendUncached(res, { success: true, data });
  });
  return router;
}

/**
 * `/admin/users/:id/person`: returns the last erasure of a person's data, and the legal hold, which forbids an erasure.
 */
export function personReadRoutes({ pool, commands, authentication, progress }: PersonReadDependencies) {
  const erasures = createErasureReader(pool);
  const router = createOperationRouter();
  router.on('getPersonData', waitForPosition(progress, READ_MODELS), async (req, res) => {
    await authentication.requireAdmin(req);
    const { id: accountId } = getPath(req);
    if ((await commands.load(account, accountId)).revision < 0) throw new DomainError('USER_NOT_FOUND');
    const [{ state }, erasure] = await Promise.all([commands.load(person, accountId), erasures.findLast(accountId)]);
    sendUncached(res, { success: true, data: { accountId, heldSince: state.heldSince, erasure } });
  });
  return router;
}
