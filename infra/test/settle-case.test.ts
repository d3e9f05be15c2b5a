import { randomUUID } from 'node:crypto';
import { findPost, moderationCase, settleCase, thread, toCaseId, toStreamId } from '@alpenglow/domain';
import { addReport, claimCase, decideCase } from '@alpenglow/domain/deciders';
import { expect, test } from 'vitest';
import { interceptWrites } from '../../tests/support/intercept-writes.ts';
import { TEST_ORIGIN } from '../../tests/support/recording.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { threadStarted } from '../../tests/support/thread-started.ts';
import { createCommandHandler } from '../src/service/command-handler.ts';

const threadId = randomUUID();
const subject = { kind: 'thread', id: threadId } as const;
const caseId = toCaseId(subject);

test('content that a moderator has decided to keep is visible if an earlier decision is applied late', async () => {
  const commands = createCommandHandler(createMemoryEventStore());
  await commands.handle(thread, threadId, () => [threadStarted(threadId)], TEST_ORIGIN);
  const evidence = { stream: toStreamId(thread, threadId), revision: 0 };
  const report = { subject, ownerId: 'anna', evidence, reportId: 'r1', reason: 'forced', canHide: true } as const;
  await commands.execute(moderationCase, caseId, addReport, report, TEST_ORIGIN);

  const readStatus = async () => findPost((await commands.load(thread, threadId)).state?.posts ?? [], 0)?.status;
  let isDecided = false;
  const late = interceptWrites(commands, async (aggregate) => {
    if (aggregate !== 'thread' || isDecided) return;
    isDecided = true;
    // The job has read that the case hides the content. Before it writes, a moderator decides to keep the content.
    await commands.execute(moderationCase, caseId, claimCase, { moderatorId: 'mona' }, TEST_ORIGIN);
    const decision = {
      moderatorId: 'mona',
      outcome: 'kept',
      rule: 'other',
      facts: 'It is fine.',
      wasHidden: true,
    } as const;
    await commands.execute(moderationCase, caseId, decideCase, decision, TEST_ORIGIN);
    await settleCase(commands, caseId, TEST_ORIGIN);
    expect(await readStatus()).toBe('visible');
  });
  const position = await settleCase(late, caseId, TEST_ORIGIN);
  expect(isDecided).toBe(true);
  expect(await readStatus()).toBe('visible');
  expect(position).toBe((await commands.load(thread, threadId)).position);
});
