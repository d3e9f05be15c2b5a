import { account, DomainError, person, type PersonDataAnswer, type ReceiptAnswer } from '@alpenglow/domain';
import {
  waitForPosition,
  type Authentication,
  type CommandHandler,
  type Pool,
  type ReadModelProgress,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createErasureReader } from './erasure-reader.ts';

export interface PersonReadDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
}

const READ_MODELS = ['erasures'];
const USER_ID = /^[\w-]{1,64}$/u;

/** `/account/erasure/:receiptId`: how far an erasure is, for whoever has its receipt. There may be no account any more to sign in to. */
export function receiptRoutes({ pool, progress }: PersonReadDependencies): Router {
  const erasures = createErasureReader(pool);
  const router = Router();
  router.get<{ receiptId: string }>('/:receiptId', waitForPosition(progress, READ_MODELS), async (req, res) => {
    const data = await erasures.byReceipt(req.params.receiptId);
    if (data === null) throw new DomainError('ERASURE_NOT_FOUND');
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data } satisfies ReceiptAnswer);
  });
  return router;
}

/** `/admin/users/:id/person`: whether what is held about somebody is to be kept, or to go. */
export function personReadRoutes({ pool, commands, authentication, progress }: PersonReadDependencies): Router {
  const erasures = createErasureReader(pool);
  const router = Router();
  router.get<{ id: string }>('/users/:id/person', waitForPosition(progress, READ_MODELS), async (req, res) => {
    await authentication.requireAdmin(req);
    const { id: accountId } = req.params;
    if (!USER_ID.test(accountId) || (await commands.load(account, accountId)).revision < 0)
      throw new DomainError('USER_NOT_FOUND');
    const [{ state }, erasure] = await Promise.all([commands.load(person, accountId), erasures.lastOf(accountId)]);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: { accountId, heldSince: state.heldSince, erasure } } satisfies PersonDataAnswer);
  });
  return router;
}
