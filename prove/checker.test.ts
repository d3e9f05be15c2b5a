import { describe, expect, test } from 'vitest';
import {
  checkCommands,
  checkErasures,
  checkJobs,
  checkKeys,
  checkLive,
  checkLogReader,
  checkMails,
  checkProcesses,
  checkReads,
  checkStatuses,
  checkStreams,
  checkTables,
  createDifferenceFilter,
  createProgressCheck,
  findMissingMails,
} from './checker.ts';
import type { Call, Disruption, Letter, LoggedEvent, Read } from './history.ts';

const call = (id: string, changes: Partial<Call> = {}): Call => ({
  type: 'call',
  id,
  client: 'provider-0',
  kind: 'edit',
  start_ms: 100,
  end_ms: 200,
  attempts: 1,
  outcome: 'ok',
  status: 200,
  ...changes,
});
const event = (position: number, changes: Partial<LoggedEvent> = {}): LoggedEvent => ({
  position: BigInt(position),
  stream: 'listing-a',
  revision: position - 1,
  id: `event-${position}`,
  type: 'AdUpdated',
  correlationId: 'call-1',
  causationId: null,
  accountId: 'a',
  liveIdentity: `message ${position}`,
  liveKeys: ['all'],
  ...changes,
});
const loss: Disruption = {
  type: 'disruption',
  kind: 'promote',
  target: 'Postgres',
  start_ms: 150,
  end_ms: 300,
  loses: true,
};
const killedWorker: Disruption = { ...loss, kind: 'kill', target: 'workers-1', loses: false };
const messages = (found: readonly { message: string }[]) => found.map(({ message }) => message);

describe('checkCommands', () => {
  const check = (calls: readonly Call[], log: readonly LoggedEvent[], disruptions: readonly Disruption[] = []) =>
    checkCommands(calls, log, disruptions, new Set(calls.map(({ id }) => id)));
  test('accepts one event per acknowledged call, and at most one per unknown call', () => {
    const log = [event(1), event(2, { correlationId: 'call-2' })];
    const calls = [call('call-1'), call('call-2', { outcome: 'unknown' }), call('call-3', { outcome: 'unknown' })];
    expect(check(calls, log)).toEqual([]);
  });
  test('finds a lost call, unless its commit was lost on purpose', () => {
    expect(messages(check([call('call-1')], []))).toEqual(['edit call-1 was acknowledged and is not in the log']);
    expect(check([call('call-1')], [], [loss])).toEqual([]);
    expect(check([call('call-1', { start_ms: 301, end_ms: 302 })], [], [loss])).toHaveLength(1);
  });
  test('finds a call that took effect twice, also if its outcome is unknown', () => {
    for (const outcome of ['ok', 'unknown'] as const)
      expect(messages(check([call('call-1', { outcome })], [event(1), event(2)]))).toEqual([
        'edit call-1 is in the log 2 times',
      ]);
  });
  test('finds a repetition with another result', () => {
    for (const [repeatStatus, count] of [
      [200, 0],
      [503, 0],
      [409, 1],
    ] as const)
      expect(check([call('call-1', { repeatStatus })], [event(1)])).toHaveLength(count);
  });
  test('accepts a repetition that must be sent again later, but no other conflict', () => {
    const repeated = (repeatCode: string) => check([call('call-1', { repeatStatus: 409, repeatCode })], [event(1)]);
    expect(repeated('IDEMPOTENCY_IN_PROGRESS')).toEqual([]);
    expect(repeated('CONFLICT')).toHaveLength(1);
    expect(repeated('IDEMPOTENCY_KEY_REUSED')).toHaveLength(1);
  });
  test('accepts a repetition without a stored response only after an erasure', () => {
    const repeated = call('call-1', { repeatStatus: 409, repeatCode: 'IDEMPOTENCY_ANSWER_GONE' });
    const erasure = (changes: Partial<Call>) => call('call-2', { kind: 'erase', outcome: 'unknown', ...changes });
    expect(check([repeated], [event(1)])).toHaveLength(1);
    expect(check([repeated, erasure({ start_ms: 201 })], [event(1)])).toHaveLength(1);
    expect(check([repeated, erasure({ outcome: 'fail' })], [event(1)])).toHaveLength(1);
    expect(check([repeated, erasure({})], [event(1)])).toEqual([]);
  });
  test('finds a rejected call with an effect', () => {
    expect(check([call('call-1', { outcome: 'fail' })], [event(1)])).toHaveLength(1);
  });
  test('finds an event of an account without a call, and an event whose cause is missing', () => {
    expect(messages(check([], [event(1)]))).toEqual(['AdUpdated of an account has no call']);
    const caused = event(1, { accountId: null, causationId: 'missing' });
    expect(messages(check([], [caused]))).toEqual(['AdUpdated has a cause that is not in the log']);
  });
  test('accepts an event of a call that was sent and has no recorded outcome yet', () => {
    expect(checkCommands([], [event(1)], [], new Set(['call-1']))).toEqual([]);
  });
});

test('checkStatuses finds status 500, also if a later attempt was successful', () => {
  const failed = call('call-2', { attempts: 2, status: 200, serverErrors: 1 });
  expect(checkStatuses([call('call-1', { status: 503 }), failed])).toHaveLength(1);
});

test('checkStreams finds gaps, swapped revisions and repeated ids', () => {
  expect(checkStreams([event(1), event(2)])).toEqual([]);
  expect(checkStreams([event(1), event(2, { revision: 2 })])).toHaveLength(1);
  expect(checkStreams([event(1, { revision: 1 }), event(2, { revision: 0 })])).toHaveLength(2);
  expect(checkStreams([event(1), event(2, { id: 'event-1' })])).toHaveLength(1);
});

test('checkLogReader finds missing and repeated events, and ignores lost ones', () => {
  const log = [event(1), event(2), event(3)];
  expect(checkLogReader([1n, 2n, 9n, 3n], log)).toEqual([]);
  expect(checkLogReader([1n, 3n], log)).toHaveLength(1);
  expect(checkLogReader([1n, 2n], log)).toHaveLength(1);
  expect(checkLogReader([1n, 2n, 2n, 3n], log)).toHaveLength(1);
});

test('checkLogReader expects no event after the last position of a reader that still runs', () => {
  const log = [event(1), event(2), event(3)];
  expect(checkLogReader([], log, { isRunning: true })).toEqual([]);
  expect(checkLogReader([1n, 2n], log, { isRunning: true })).toEqual([]);
  expect(checkLogReader([1n, 3n], log, { isRunning: true })).toHaveLength(1);
  expect(checkLogReader([2n, 1n], log, { isRunning: true })).toHaveLength(1);
});

test('checkReads finds a read without the own write', () => {
  const read: Read = {
    type: 'read',
    client: 'provider-0',
    start_ms: 210,
    end_ms: 220,
    after: 'call-1',
    expected: { id: 'ad', title: 'new' },
    actual: { id: 'ad', title: 'old' },
  };
  expect(checkReads([read], [call('call-1')], [])).toHaveLength(1);
  expect(checkReads([read], [call('call-1')], [loss])).toEqual([]);
  const earlier = { ...loss, start_ms: 50, end_ms: 60 };
  expect(checkReads([read], [call('call-1')], [earlier])).toHaveLength(1);
  expect(checkReads([read], [call('call-1')], [{ ...earlier, staleUntil_ms: 215 }])).toEqual([]);
  expect(checkReads([{ ...read, actual: null }], [call('call-1')], [])).toHaveLength(1);
  expect(checkReads([{ ...read, actual: read.expected }], [call('call-1')], [])).toEqual([]);
});

test('checkTables reports each different table', () => {
  const difference = { table: 'rm.ads', keys: ['1'], onlyInTable: ['{"id":1}'], onlyInFold: [] };
  expect(messages(checkTables([difference]))).toEqual([
    'rm.ads differs from the fold of the log: 1 wrong and 0 missing rows',
  ]);
});

describe('createProgressCheck', () => {
  const behind = (checkpoint: bigint) => new Map([['ad_cards', checkpoint]]);

  test('reports a projection that is behind without progress for ten seconds', () => {
    const check = createProgressCheck();
    expect([...check(behind(5n), 0), ...check(behind(5n), 9_000)]).toEqual([]);
    expect(check(behind(5n), 10_000)).toMatchObject([{ check: 'lag' }]);
  });

  test('does not report a projection that makes progress, or that was up to date meanwhile', () => {
    const check = createProgressCheck();
    expect([...check(behind(5n), 0), ...check(behind(6n), 10_000), ...check(new Map(), 15_000)]).toEqual([]);
    expect([...check(behind(6n), 20_000), ...check(behind(6n), 29_000)]).toEqual([]);
  });
});

describe('createDifferenceFilter', () => {
  const difference = (...keys: readonly string[]) => ({
    table: 'rm.ads',
    keys,
    onlyInTable: [...keys],
    onlyInFold: [],
  });
  const open = (...streams: readonly string[]) => new Set(streams);
  test('reports a row that differs at two checks', () => {
    const filter = createDifferenceFilter();
    expect(filter([difference('a')], open())).toEqual([]);
    expect(filter([difference('b', 'a')], open())).toEqual([difference('b', 'a')]);
  });
  test('does not report a row that differs at one check only', () => {
    const filter = createDifferenceFilter();
    expect(filter([difference('a')], open())).toEqual([]);
    expect(filter([difference('b')], open())).toEqual([]);
    expect(filter([], open())).toEqual([]);
    expect(filter([difference('b')], open())).toEqual([]);
  });
  test('waits for the erasures that were open at the first check, and for no later ones', () => {
    const filter = createDifferenceFilter();
    expect(filter([difference('a')], open('account-1'))).toEqual([]);
    expect(filter([difference('a')], open('account-1', 'account-2'))).toEqual([]);
    expect(filter([difference('a')], open('account-2'))).toHaveLength(1);
  });
});

describe('checkLive', () => {
  const log = [event(1), event(2), event(3, { liveIdentity: null }), event(4)];
  const client = (...segments: readonly (readonly number[])[]) => ({
    client: 'live',
    topics: null,
    errors: [],
    segments: segments.map((positions) =>
      positions.map((position) => ({ position: BigInt(position), identity: `message ${position}`, received_ms: 0 })),
    ),
  });
  test('accepts every message once and in order, and a reload', () => {
    expect(checkLive(client([2, 4]), log, 1n, [])).toEqual([]);
    expect(checkLive(client([1], [4]), log, 0n, [])).toEqual([]);
    expect(checkLive(client([1], []), log, 0n, [])).toEqual([]);
  });
  test.each([
    ['missing', [1, 4]],
    ['repeated', [1, 2, 2, 4]],
    ['swapped', [2, 1, 4]],
    ['missing at the end', [1, 2]],
  ])('finds a message that is %s', (_name, positions) => {
    expect(checkLive(client(positions), log, 0n, []).length).toBeGreaterThan(0);
  });
  test('expects no message after the last one of a client that still runs', () => {
    expect(checkLive(client([1, 2]), log, 0n, [], { isRunning: true })).toEqual([]);
    expect(checkLive(client([1, 4]), log, 0n, [], { isRunning: true })).toHaveLength(1);
  });
  test('finds a message without an event, unless commits were lost', () => {
    expect(checkLive(client([1, 2, 9, 4]), log, 0n, [])).toHaveLength(1);
    expect(checkLive(client([1, 2, 9, 4]), log, 0n, [loss])).toEqual([]);
  });
  describe('with topics', () => {
    const reno = [event(1), event(2, { liveKeys: ['reno'] }), event(3), event(4, { liveKeys: null })];
    const check = (...segments: readonly (readonly number[])[]) =>
      checkLive({ ...client(...segments), topics: ['reno'] }, reno, 0n, []);
    test('expects the messages of the topics, and those of all topics', () => {
      expect(check([2, 4])).toEqual([]);
      expect(messages(check([4]))).toEqual(['live: a message is after a missing message']);
      expect(messages(check([2]))).toEqual(['live did not receive the last 1 messages']);
    });
    test('accepts other messages only in order', () => {
      expect(check([1, 2, 3, 4])).toEqual([]);
      expect(messages(check([2, 1, 4]))).toContain('live: a message is repeated or late');
    });
  });
  test('reports unexpected close codes', () => {
    expect(checkLive({ ...client([1, 2, 4]), errors: ['close code 4999'] }, log, 0n, [])).toHaveLength(1);
  });
});

test('checkMails finds mails that were sent twice or not at all', () => {
  const letter: Letter = { to: 'a@example.com', subject: 'Code', text: 'Your code is 123456', received_ms: 140 };
  const due = [{ calls: ['call-1'], to: 'a@example.com', text: '123456' }];
  const calls = [call('call-1', { kind: 'sign-up' })];
  const check = (letters: readonly Letter[], disruptions: readonly Disruption[] = [], hasRedis = true) =>
    messages(checkMails({ letters, due, calls, disruptions, hasRedis }));
  expect(check([letter])).toEqual([]);
  expect(check([])).toEqual(['the mail to a@example.com was not sent']);
  expect(check([], [loss])).toEqual([]);
  const twice = [letter, { ...letter, received_ms: 9_000 }];
  expect(check(twice)).toEqual(['a mail was sent 2 times']);
  expect(check(twice, [killedWorker])).toEqual([]);

  // Redis still has the completed job of a mail, unless the job has other results, too.
  expect(check(twice, [loss])).toEqual(['a mail was sent 2 times']);
  expect(check(twice, [loss], false)).toEqual([]);
  expect(check(twice, [{ ...loss, start_ms: 2_000, end_ms: 3_000 }], false)).toEqual(['a mail was sent 2 times']);
  const decision = { ...letter, text: `${letter.text} https://example.com/account/decisions/1` };
  expect(check([decision, { ...decision, received_ms: 9_000 }], [loss])).toEqual([]);
});

test('a mail may be sent twice if a worker could not record the delivery before its claim expired', () => {
  const letter: Letter = { to: 'a@example.com', subject: 'Code', text: 'Hello', received_ms: 1_000 };
  const letters = [letter, { ...letter, received_ms: 50_000 }];
  const check = (changes: Partial<Disruption>) =>
    checkMails({ letters, due: [], calls: [], disruptions: [{ ...killedWorker, ...changes }], hasRedis: true });
  const long = { kind: 'long-hang', start_ms: 900, end_ms: 45_000 };
  for (const kind of ['long-hang', 'isolate']) expect(check({ ...long, kind })).toEqual([]);
  for (const changes of [
    { ...long, end_ms: 20_000 },
    { ...long, target: 'projectors-1' },
    { ...long, kind: 'clock' },
    { ...long, start_ms: 60_000, end_ms: 120_000 },
  ])
    expect(check(changes)).toHaveLength(1);
});

test('a mail about a reply is due only if the clocks were right and no disruption can have lost a call', () => {
  const due = [{ calls: ['call-1', 'call-2'], to: 'a@example.com', text: 'Title', kind: 'replies' }] as const;
  const calls = [
    call('call-1', { start_ms: 5_000, end_ms: 5_100 }),
    call('call-2', { start_ms: 9_000, end_ms: 9_100 }),
  ];
  const check = (...disruptions: readonly Disruption[]) =>
    findMissingMails({ letters: [], due, calls, disruptions }).length;
  expect(check()).toBe(1);
  const clock: Disruption = { ...killedWorker, kind: 'clock', start_ms: 6_000, end_ms: 7_000 };
  expect(check(clock)).toBe(0);
  expect(check({ ...clock, start_ms: 20_000, end_ms: 21_000 })).toBe(1);
  expect(check({ ...loss, start_ms: 9_050, end_ms: 9_060 })).toBe(0);
});

test('checkJobs reports each job that was not processed', () => {
  expect(messages(checkJobs(['photo-variants 1']))).toEqual(['the job photo-variants 1 was not processed']);
});

test('checkKeys finds events that cannot be decrypted', () => {
  const log = [
    { id: 'event-1', type: 'AdPosted' },
    { id: 'event-2', type: 'AdPosted', unreadable: 'the key is missing' },
  ];
  expect(messages(checkKeys(log))).toEqual(['AdPosted event-2: the key is missing']);
});

test('checkProcesses finds processes that ended by themselves', () => {
  const lines = ['restarting gateway', 'gateway ended (SIGKILL)', 'gateway ended (1)'];
  expect(messages(checkProcesses(lines))).toEqual(['gateway ended (1)']);
});

test('checkErasures reports each occurrence', () => {
  expect(checkErasures(['rm.accounts: a@example.com'])).toHaveLength(1);
});
