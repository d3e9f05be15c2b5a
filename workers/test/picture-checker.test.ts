import {
  media,
  moderationCase,
  START_POSITION,
  takenDownPicture,
  toCaseId,
  toSearchHashes,
  type CaseId,
  type Outcome,
  addReportToCase,
  takePictureOfCaseDown,
} from '@alpenglow/domain';
import {
  claimCase,
  decideAppeal,
  decideCase,
  fileAppeal,
  recordPhotoVariants,
  uploadMedia,
} from '@alpenglow/domain/deciders';
import { createCommandHandler, noImageHashList } from '@alpenglow/infra';
import { describe, expect, test } from 'vitest';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { createPictureChecker } from '../src/picture-checker.ts';

const BY_TEST = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const hash = '0f3c'.repeat(16);
const photo = { mediaId: 'm1', searched: toSearchHashes([hash]), digests: [] };
const CASE: CaseId = toCaseId({ kind: 'media', id: 'm1' });

async function prepare() {
  const store = createMemoryEventStore();
  const commands = createCommandHandler(store);
  const file = { mediaId: 'm1', ownerId: 'anna', kind: 'photo', sizeBytes: 10, contentType: 'image/jpeg' } as const;
  await commands.execute(media, 'm1', uploadMedia, file, BY_TEST);
  const made = { width: 10, height: 10, blur: 'data:', hash, variants: [] };
  const record = () => commands.execute(media, 'm1', recordPhotoVariants, made, BY_TEST);
  return { store, commands, record, ads: { ownerOf: () => Promise.resolve(null) } };
}

interface Lists {
  readonly isOnHashList?: boolean;
  readonly isTakenDown?: boolean;
  readonly action: 'reject' | 'hold';
  /** The action for a copy of a picture that was taken down. Defaults to `action`. */
  readonly takenDown?: 'reject' | 'hold';
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

/** Reports the photo as an unrelated visitor would do it. */
async function report(prepared: Prepared, reason: 'spam' | 'my_content'): Promise<void> {
  await addReportToCase(prepared, { reportId: 'r1', subject: { kind: 'media', id: 'm1' }, reason }, BY_TEST);
}

/** Decides the open case about the photo. */
async function decidePhoto({ commands }: Prepared, outcome: Outcome, rule: string): Promise<void> {
  await commands.execute(moderationCase, CASE, claimCase, { moderatorId: 'mona' }, BY_TEST);
  const decision = { moderatorId: 'mona', outcome, rule, facts: 'Looked at it.', wasHidden: true };
  await commands.execute(moderationCase, CASE, decideCase, decision, BY_TEST);
}

/** Checks a photo that is being processed. `waits` are the read models for which the check has waited. */
async function check({ isOnHashList = false, isTakenDown = false, action, ...actions }: Lists, ready?: Prepared) {
  const prepared = ready ?? (await prepare());
  const waits: string[] = [];
  const checker = createPictureChecker({
    commands: prepared.commands,
    ads: prepared.ads,
    store: { ...prepared.store, readHead: () => Promise.resolve(START_POSITION) },
    progress: {
      waitFor: (name) => {
        waits.push(name);
        return Promise.resolve(true);
      },
    },
    hashKey: (text) => text,
    hashList: { ...noImageHashList, isKnown: () => Promise.resolve(isOnHashList) },
    copies: { isTakenDown: () => Promise.resolve(isTakenDown) },
    actions: { hashList: action, takenDown: action, ...actions },
  });
  const verdict = await checker.check(photo);
  const repeated = await checker.check(photo);
  expect(repeated).toBe(verdict);
  return { verdict, waits, state: (await prepared.commands.load(moderationCase, CASE)).state };
}

describe('a photo', () => {
  test('that no list contains is allowed', async () => {
    expect(await check({ action: 'reject' })).toMatchObject({ verdict: 'allowed', state: null });
  });

  test('that the list of the operator contains is illegal, or is hidden before it is ready', async () => {
    expect(await check({ isOnHashList: true, action: 'reject' })).toMatchObject({ verdict: 'illegal', state: null });
    const { verdict, waits, state } = await check({ isOnHashList: true, action: 'hold' });
    expect(verdict).toBe('allowed');
    expect(waits).toContain('moderation_cases');
    expect(state).toMatchObject({ isOpen: true, isHidingSubject: true, priority: 'high' });
    expect(state?.reportIds).toHaveLength(1);
  });

  test('that both lists contain is rejected if one of them rejects', async () => {
    const lists = { isOnHashList: true, isTakenDown: true, action: 'hold' } as const;
    expect(await check({ ...lists, takenDown: 'reject' })).toMatchObject({ verdict: 'taken_down', state: null });
  });

  test('that is similar to one that was taken down is rejected, or is hidden before it is ready', async () => {
    expect(await check({ isTakenDown: true, action: 'reject' })).toMatchObject({ verdict: 'taken_down', state: null });
    const { verdict, waits, state } = await check({ isTakenDown: true, action: 'hold' });
    expect(verdict).toBe('allowed');
    expect(waits).toContain('taken_down_pictures');
    expect(state).toMatchObject({ isHidingSubject: true, decision: { isAutomated: true, rule: 'consent' } });
  });
});

describe('a copy that a moderator has confirmed', () => {
  test('is hidden if the decision was about something else', async () => {
    const prepared = await prepare();
    await prepared.record();
    await report(prepared, 'spam');
    await decidePhoto(prepared, 'kept', 'other');
    const { state } = await check({ isTakenDown: true, action: 'hold' }, prepared);
    expect(state).toMatchObject({ isOpen: true, isHidingSubject: true, decision: { rule: 'consent' } });
  });

  test('stays visible if the moderator knew that it is a copy', async () => {
    const prepared = await prepare();
    await prepared.record();
    await check({ isTakenDown: true, action: 'hold' }, prepared);
    await decidePhoto(prepared, 'kept', 'other');
    const { state } = await check({ isTakenDown: true, action: 'hold' }, prepared);
    expect(state).toMatchObject({ isOpen: false, isHidingSubject: false });
  });
});

describe('a decision about a photo', () => {
  async function decide(outcome: Outcome, rule: string) {
    const prepared = await prepare();
    const { commands } = prepared;
    await prepared.record();
    await report(prepared, 'my_content');
    await decidePhoto(prepared, outcome, rule);
    await takePictureOfCaseDown(commands, CASE, BY_TEST);
    await takePictureOfCaseDown(commands, CASE, BY_TEST);
    return { commands, references: async () => (await commands.load(takenDownPicture, 'm1')).state?.references };
  }

  test.each<[Outcome, string, boolean]>([
    ['removed', 'consent', true],
    ['account_closed', 'under_age', true],
    ['removed', 'contact', false],
    ['hidden', 'consent', false],
    ['kept', 'other', false],
  ])('%s because of %s takes it down: %s', async (outcome, rule, isTakenDown) => {
    expect(await (await decide(outcome, rule)).references()).toEqual(isTakenDown ? [CASE] : undefined);
  });

  test('no longer takes it down after it was reversed', async () => {
    const { commands, references } = await decide('removed', 'consent');
    const { state } = await commands.load(moderationCase, CASE);
    const decisionId = state?.decision?.decisionId ?? '';
    const appeal = { accountId: 'anna', registeredAt: null, decisionId, text: 'She agrees.' };
    await commands.execute(moderationCase, CASE, fileAppeal, appeal, BY_TEST);
    await commands.execute(moderationCase, CASE, claimCase, { moderatorId: 'max' }, BY_TEST);
    const decision = { moderatorId: 'max', outcome: 'overturned', facts: 'She agrees.' } as const;
    await commands.execute(moderationCase, CASE, decideAppeal, decision, BY_TEST);
    await takePictureOfCaseDown(commands, CASE, BY_TEST);
    expect(await references()).toEqual([]);
  });
});
