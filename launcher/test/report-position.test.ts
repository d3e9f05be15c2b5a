import { randomUUID } from 'node:crypto';
import { comparePositions, listing, START_POSITION, toStreamId, addReportToCase, findSubject } from '@alpenglow/domain';
import { createCommandHandler } from '@alpenglow/infra';
import { expect, onTestFinished, test } from 'vitest';
import { seedDemo } from '../seed/seed-demo.ts';
import { createSeedDependencies } from './seed-dependencies.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };

test('the position of a report includes the hiding of its ad, also if the background job was faster', async () => {
  const store = createMemoryEventStore();
  const commands = createCommandHandler(store);
  const deps = await createSeedDependencies(commands);
  onTestFinished(deps.remove);
  await seedDemo(deps);
  const [posted] = await store.readAll({ after: START_POSITION, limit: 1, types: ['AdPosted'] });
  const { adId, accountId } = posted?.data as { adId: string; accountId: string };
  const ads = { ownerOf: () => Promise.resolve(accountId) } as unknown as Parameters<typeof findSubject>[0]['ads'];
  const report = { reportId: randomUUID(), subject: { kind: 'ad', id: adId }, reason: 'forced' } as const;
  const known = await findSubject({ commands, ads }, report.subject);
  if (!known) throw new Error('The ad does not exist');

  await addReportToCase({ commands, ads }, report, origin);
  const position = await addReportToCase({ commands, ads }, report, origin, known);

  const hidden = (await store.readStream(toStreamId(listing, accountId), { from: 0, limit: 100 })).at(-1);
  expect(hidden?.type).toBe('AdHidden');
  expect(comparePositions(position ?? START_POSITION, hidden?.position ?? START_POSITION)).toBeGreaterThanOrEqual(0);
});
