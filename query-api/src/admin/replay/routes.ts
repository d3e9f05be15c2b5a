import { DomainError } from '@alpenglow/domain';
import { createOperationRouter, getPath, getQuery, hashPeople, waitForPosition } from '@alpenglow/infra';
import { recordRead } from '../../record-read.ts';
import { sendUncached } from '../../send-uncached.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageQuery } from '../../paging.ts';
import { createDifferenceReader } from './difference-reader.ts';
import { createParkedEventReader } from './parked-event-reader.ts';
import { createProjectionReader } from './projection-reader.ts';

/**
 * The name of the event consumer that receives the admins' instructions for projections, e.g. to rebuild a read model.
 * When its checkpoint reaches an instruction, the projectors have received the instruction.
 */
const REPLAY = 'reactor-replay';

/**
 * `GET /admin/projections/…`: the operations that read the state of projections, their rebuilds and their parked
 * events. All of these operations require an admin.
 */
export function replayReadRoutes(deps: Dependencies<'pool' | 'store' | 'authentication' | 'progress' | 'staffReads'>) {
  const { authentication, progress } = deps;
  const projections = createProjectionReader(deps);
  const differences = createDifferenceReader(deps);
  const parkedEvents = createParkedEventReader(deps);
  const router = createOperationRouter();

  router.on('listProjections', waitForPosition(progress, [REPLAY]), async (req, res) => {
    await authentication.requireAdmin(req);
    sendUncached(res, { success: true, data: await projections.list() });
  });

  router.on('listRebuildDifferences', async (req, res) => {
    const { account } = await authentication.requireAdmin(req);
    const name = await requireKnown(getPath(req).name);
    const found = await differences.list(name);
    if (!found) throw new DomainError('REBUILD_NOT_POSSIBLE');
    // Every row counts as the data of one person, because the owners of the rows are not known.
    await recordRead(deps, res, { account }, 'listRebuildDifferences', {
      subjectId: name,
      people: found.rows.length,
      peopleHash: hashPeople(found.rows.map(({ key }) => key)),
    });
    sendUncached(res, { success: true, data: found.rows, total: found.total });
  });

  router.on('listParkedEvents', waitForPosition(progress, [REPLAY]), async (req, res) => {
    const { account } = await authentication.requireAdmin(req);
    const name = await requireKnown(getPath(req).name);
    const { events: data, nextCursor } = await parkedEvents.list(name, toPageQuery(getQuery(req)));
    // The read is recorded, because an error message may quote personal data.
    await recordRead(deps, res, { account }, 'listParkedEvents', {
      subjectId: name,
      people: data.length,
      peopleHash: hashPeople(data.map(({ position }) => position)),
    });
    sendUncached(res, { success: true, data, nextCursor });
  });

  async function requireKnown(name: string): Promise<string> {
    if (!(await projections.isKnown(name))) throw new DomainError('PROJECTION_NOT_FOUND');
    return name;
  }

  return router;
}
