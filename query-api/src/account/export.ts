import { account, accountTelling, DomainError, streamOf, type AccountTold } from '@alpenglow/domain';
import { createSlots, requestIdOf, writeZip, type Authentication, type Logger } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { tell } from '../admin/history/told-stream.ts';
import { exportFiles, type ExportDependencies, type ExportedPerson } from './export-files.ts';

export interface ExportRouteDependencies extends ExportDependencies {
  readonly authentication: Authentication;
  readonly log: Logger;
}

/** Each reads much of the history: visitors come first. */
const AT_ONCE = 2;
const WAITING = 10;
const WAIT_ms = 20_000;
const USER_ID = /^[\w-]{1,64}$/u;

/** Sends archives of everything held about a person (design, trust and privacy, "Personal data"). */
export function createExports(deps: ExportRouteDependencies) {
  const slots = createSlots({ max: AT_ONCE, maxWaiting: WAITING, wait_ms: WAIT_ms });

  async function send(person: ExportedPerson, res: Response): Promise<void> {
    const left = new AbortController();
    res.once('close', () => left.abort());
    const slot = await slots.take(left.signal);
    if (!slot) throw new DomainError('UNAVAILABLE');
    try {
      res.set({
        'Content-Type': 'application/zip',
        'Content-Disposition': 'attachment; filename="your-data.zip"',
        'Cache-Control': 'no-store',
      });
      await writeZip(exportFiles(person, deps, left.signal), res, left.signal);
    } catch (error) {
      if (!left.signal.aborted && !res.headersSent) throw error;
      // An archive that breaks off must not look whole.
      if (!left.signal.aborted) deps.log.warn({ err: error, requestId: requestIdOf(res) }, 'an export broke off');
      res.destroy();
    } finally {
      slot.release();
    }
  }

  /** Whoever has the account, or had it until it was closed; null where nothing is held, as after an erasure. */
  async function heldOf(accountId: string): Promise<ExportedPerson | null> {
    let last: AccountTold = accountTelling.initial;
    for await (const { after } of tell(deps.store, {
      stream: streamOf(account, accountId),
      isAbout: () => true,
      telling: accountTelling,
    }))
      last = after;
    const { account: held, closedAt } = last;
    const isErased = held?.email === '';
    return held && held.repeatOf === null && !isErased ? { ...held, closedAt } : null;
  }

  return {
    /** `GET /account/export`. */
    async own(req: Request, res: Response): Promise<void> {
      await send({ ...(await deps.authentication.require(req)).account, closedAt: null }, res);
    },
    /** `GET /admin/users/{id}/export`. */
    async ofUser(req: Request, res: Response): Promise<void> {
      const admin = await deps.authentication.requireAdmin(req);
      const accountId = String(req.params['id']);
      const person = USER_ID.test(accountId) ? await heldOf(accountId) : null;
      if (!person) throw new DomainError('USER_NOT_FOUND');
      await deps.staffReads.note({
        staffId: admin.account.accountId,
        what: 'exportDataOf',
        subjectId: accountId,
        people: 1,
        requestId: requestIdOf(res),
      });
      await send(person, res);
    },
  };
}

/** To be mounted at `/account`. */
export function exportRoutes(exports: ReturnType<typeof createExports>): Router {
  return Router().get('/export', (req, res) => exports.own(req, res));
}

/** To be mounted at `/admin/users`. */
export function adminExportRoutes(exports: ReturnType<typeof createExports>): Router {
  return Router().get('/:id/export', (req, res) => exports.ofUser(req, res));
}
