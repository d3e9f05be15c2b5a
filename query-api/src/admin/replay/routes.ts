import {
  DomainError,
  PROJECTION_NAME,
  type DifferencesAnswer,
  type EventStore,
  type ParkedEventsAnswer,
  type ProjectionsAnswer,
} from '@alpenglow/domain';
import {
  requestIdOf,
  waitForPosition,
  type Authentication,
  type Pool,
  type ReadModelProgress,
  type StaffReads,
} from '@alpenglow/infra';
import { Router, type Request } from 'express';
import { parsePageQuery } from '../page-query.ts';
import { createDifferenceReader } from './difference-reader.ts';
import { createParkedEventReader } from './parked-event-reader.ts';
import { createProjectionReader } from './projection-reader.ts';

export interface ReplayReadDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly authentication: Authentication;
  readonly progress: ReadModelProgress;
  readonly staffReads: StaffReads;
}

/** Whose checkpoint says that the projectors have heard of what was asked. */
const REPLAY = 'reactor-replay';

/** How projections, their rebuilds and what they have set aside stand (`GET /admin/projections/…`). Each call needs an admin. */
export function replayReadRoutes(deps: ReplayReadDependencies): Router {
  const { authentication, progress, staffReads } = deps;
  const projections = createProjectionReader(deps);
  const differences = createDifferenceReader(deps);
  const parkedEvents = createParkedEventReader(deps);
  const router = Router();

  router.get('/', waitForPosition(progress, [REPLAY]), async (req, res) => {
    await authentication.requireAdmin(req);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: await projections.list() } satisfies ProjectionsAnswer);
  });

  router.get('/:name/differences', async (req, res) => {
    const { account } = await authentication.requireAdmin(req);
    const name = await known(req);
    const found = await differences.list(name);
    if (!found) throw new DomainError('REBUILD_NOT_POSSIBLE');
    // Whose rows they are is not told apart: each may be somebody's.
    await staffReads.note({
      staffId: account.accountId,
      what: 'listRebuildDifferences',
      subjectId: name,
      people: found.rows.length,
      requestId: requestIdOf(res),
    });
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: found.rows, total: found.total } satisfies DifferencesAnswer);
  });

  router.get('/:name/parked', waitForPosition(progress, [REPLAY]), async (req, res) => {
    const { account } = await authentication.requireAdmin(req);
    const name = await known(req);
    const { cursor, limit } = req.query;
    const { events: data, nextCursor } = await parkedEvents.list(name, parsePageQuery({ cursor, limit }));
    // Errors may quote what was refused.
    await staffReads.note({
      staffId: account.accountId,
      what: 'listParkedEvents',
      subjectId: name,
      people: data.length,
      requestId: requestIdOf(res),
    });
    res.setHeader('Cache-Control', 'no-store').json({ success: true, data, nextCursor } satisfies ParkedEventsAnswer);
  });

  async function known(req: Request): Promise<string> {
    const { name } = req.params;
    if (typeof name !== 'string' || !PROJECTION_NAME.test(name) || !(await projections.isKnown(name)))
      throw new DomainError('PROJECTION_NOT_FOUND');
    return name;
  }

  return router;
}
