import type {
  Anomaly,
  Call,
  CallKind,
  Check,
  Disruption,
  DueLetter,
  Letter,
  LiveRecord,
  LoggedEvent,
  Read,
  TableDifference,
} from './history.ts';

/** The event that shows that a call had its effect. An acknowledged call must have appended exactly one. */
const PROOF: Readonly<Record<CallKind, string>> = {
  'sign-up': 'AccountRegistered',
  verify: 'EmailVerified',
  post: 'AdPosted',
  edit: 'AdUpdated',
  bump: 'AdBumped',
  delete: 'AdDeleted',
  report: 'ReportFiled',
  favor: 'AdFavorited',
  thread: 'ThreadStarted',
  reply: 'ReplyPosted',
  erase: 'ErasureRequested',
  upload: 'MediaUploaded',
  follow: 'ThreadFollowed',
  claim: 'CaseClaimed',
  decide: 'CaseDecided',
  rebuild: 'RebuildRequested',
  swap: 'RebuildSwapRequested',
  cancel: 'RebuildCancelled',
};

/** The error code of a repetition that the product may accept later. Its result is not known yet. */
const REPEAT_LATER = 'IDEMPOTENCY_IN_PROGRESS';
/** The error code of a repetition whose stored response was removed. Every erasure removes all stored responses. */
const RESPONSE_GONE = 'IDEMPOTENCY_ANSWER_GONE';
/** Maximum time from the delivery of a mail to its record. */
const RECORDING_ms = 1_000;
/** The disruptions that can last longer than the claim of a mail. */
const CLAIM_ENDING: ReadonlySet<string> = new Set(['hang', 'long-hang', 'isolate']);
/** The claim of a mail lasts 35 s. The delivery takes a part of this time. */
const SHORTEST_LOST_CLAIM_ms = 30_000;
/** Interval at which a process reads how wrong its clock is, with a margin. */
const CLOCK_CHECK_ms = 1_000;
/** Part of the link in each mail about a moderation decision. The job of such a mail also has other results. */
const DECISION_LINK = '/decisions/';
/** Maximum number of history entries that are reported for one anomaly. */
const MAX_EVIDENCE = 8;
/** Maximum number of anomalies that one check reports. */
const MAX_ANOMALIES = 20;

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
const limit = <T>(items: readonly T[], most: number) => items.slice(0, most);
const describe = (entry: object) =>
  JSON.stringify(entry, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
const anomaly = (check: Check, message: string, evidence: readonly object[]): Anomaly => ({
  check,
  message,
  evidence: limit(evidence, MAX_EVIDENCE).map(describe),
});

/**
 * Returns true if the effect of a call may be missing, because the call was made while the product ran on a database
 * whose last commits were lost.
 */
export function mayBeLost(
  { start_ms, end_ms }: Pick<Call, 'start_ms' | 'end_ms'>,
  disruptions: readonly Disruption[],
): boolean {
  return disruptions.some((one) => one.loses && start_ms <= one.end_ms && end_ms >= one.start_ms);
}

/**
 * Every acknowledged call is in the log exactly once, a call without a response at most once, a rejected call not at
 * all. Every event of an account belongs to a call. Every event of the system has a cause in the log. `sent` has the
 * ids of all calls, also of those without a recorded outcome, because their events may already be in the log.
 */
export function checkCommands(
  calls: readonly Call[],
  log: readonly LoggedEvent[],
  disruptions: readonly Disruption[],
  sent: ReadonlySet<string>,
): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const eventsByCall = groupBy(log, ({ correlationId }) => correlationId);
  for (const call of calls) {
    const events = eventsByCall.get(call.id) ?? [];
    const proofs = events.filter(({ type }) => type === PROOF[call.kind]);
    const evidence = [call, ...events];
    if (proofs.length > 1)
      found.push(anomaly('commands', `${call.kind} ${call.id} is in the log ${proofs.length} times`, evidence));
    else if (call.outcome === 'ok' && proofs.length === 0 && !mayBeLost(call, disruptions))
      found.push(anomaly('commands', `${call.kind} ${call.id} was acknowledged and is not in the log`, evidence));
    else if (call.outcome === 'fail' && proofs.length > 0)
      found.push(anomaly('commands', `${call.kind} ${call.id} was rejected and is in the log`, evidence));
  }
  const erasures = calls.filter(({ kind, outcome }) => kind === 'erase' && outcome !== 'fail');
  for (const call of calls) {
    const { repeatStatus = 0, repeatCode, status } = call;
    const isGone = repeatCode === RESPONSE_GONE && erasures.some(({ start_ms }) => start_ms <= call.end_ms);
    const isUnknown = repeatStatus === 0 || repeatStatus >= 500 || repeatCode === REPEAT_LATER || isGone;
    if (!isUnknown && repeatStatus !== status && !mayBeLost(call, disruptions))
      found.push(anomaly('commands', `the repetition of ${call.kind} ${call.id} has another result`, [call]));
  }
  const ids = new Set(log.map(({ id }) => id));
  for (const event of log) {
    if (event.accountId !== null && !sent.has(event.correlationId))
      found.push(anomaly('commands', `${event.type} of an account has no call`, [event]));
    if (event.causationId !== null && !ids.has(event.causationId) && !disruptions.some(({ loses }) => loses))
      found.push(anomaly('commands', `${event.type} has a cause that is not in the log`, [event]));
  }
  return limit(found, MAX_ANOMALIES);
}

/**
 * No attempt of a call ended with an unexpected error, even if a later attempt was successful. During an outage, the
 * status is 503.
 */
export function checkStatuses(calls: readonly Call[]): readonly Anomaly[] {
  return limit(
    calls
      .filter(({ serverErrors = 0 }) => serverErrors > 0)
      .map((call) => anomaly('responses', `${call.kind} ${call.id} had status 500`, [call])),
    MAX_ANOMALIES,
  );
}

/** The revisions of each stream are 0, 1, 2 and so on, in the order of the positions. No event id occurs twice. */
export function checkStreams(log: readonly LoggedEvent[]): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const lastOfStream = new Map<string, LoggedEvent>();
  const ids = new Set<string>();
  for (const event of log) {
    const last = lastOfStream.get(event.stream);
    if (event.revision !== (last?.revision ?? -1) + 1)
      found.push(
        anomaly(
          'streams',
          `revision ${event.revision} of ${event.stream} is out of order`,
          last ? [last, event] : [event],
        ),
      );
    if (ids.has(event.id)) found.push(anomaly('streams', `event ${event.id} occurs twice`, [event]));
    ids.add(event.id);
    lastOfStream.set(event.stream, event);
  }
  return limit(found, MAX_ANOMALIES);
}

/**
 * A reader of the log received every event once, in the order of the positions. Events that a lost commit had
 * appended are ignored. If the reader still runs (`isRunning`), events after its last position are not expected yet.
 */
export function checkLogReader(
  received: readonly bigint[],
  log: readonly LoggedEvent[],
  { isRunning = false } = {},
): readonly Anomaly[] {
  const inLog = new Map(log.map((event) => [event.position, event]));
  const got = received.filter((position) => inLog.has(position));
  const last = got.at(-1) ?? 0n;
  const expected = log.map(({ position }) => position).filter((position) => !isRunning || position <= last);
  const at = expected.findIndex((position, index) => got[index] !== position);
  if (at < 0 && got.length === expected.length) return [];
  const event = inLog.get(expected[at] ?? got[expected.length] ?? 0n);
  return [
    anomaly('order', `a reader of the log received ${got[at] ?? 'nothing'} instead of ${expected[at] ?? 'nothing'}`, [
      event ?? {},
    ]),
  ];
}

/**
 * A read that waits for a write shows the state after this write. After a loss of events, this holds from the time at
 * which the product has noticed the loss.
 */
export function checkReads(
  reads: readonly Read[],
  calls: readonly Call[],
  disruptions: readonly Disruption[],
): readonly Anomaly[] {
  const callById = new Map(calls.map((call) => [call.id, call]));
  const stale = disruptions.map((one) => ({ ...one, end_ms: one.staleUntil_ms ?? one.end_ms }));
  return limit(
    reads
      .filter(({ expected, actual }) => expected?.id !== actual?.id || expected?.title !== actual?.title)
      .filter((read) => !mayBeLost(read, stale) && !mayBeLost(callById.get(read.after) ?? read, disruptions))
      .map((read) =>
        anomaly('read-your-writes', `${read.client} did not read its write ${read.after}`, [
          callById.get(read.after) ?? {},
          read,
        ]),
      ),
    MAX_ANOMALIES,
  );
}

/**
 * Returns a filter for differences that were found during the load. A difference is reported at the second check that
 * finds it. An erasure changes rows after it has destroyed the keys, so a difference is reported only after the
 * erasures have ended that were open at the first check. `open` has the streams of the open erasures.
 */
export function createDifferenceFilter(): (
  differences: readonly TableDifference[],
  open: ReadonlySet<string>,
) => readonly TableDifference[] {
  let suspects = new Map<string, ReadonlySet<string>>();
  return (differences, open) => {
    const next = new Map<string, ReadonlySet<string>>();
    const confirmed = differences.filter(({ table, keys }) => {
      const isOld = keys.map((key) => {
        const row = `${table} ${key}`;
        const before = suspects.get(row);
        const pending = new Set([...(before ?? open)].filter((stream) => open.has(stream)));
        next.set(row, pending);
        return before !== undefined && pending.size === 0;
      });
      return isOld.includes(true);
    });
    suspects = next;
    return confirmed;
  };
}

/** Time without progress after which a projection that is behind counts as stopped. */
const STOPPED_ms = 10_000;

/**
 * Returns a check for projections that stopped during a load without disruptions. `checkpoints` has the checkpoints of
 * the projections that are behind. A projection is reported if it was behind with the same checkpoint in all checks of
 * the last ten seconds.
 */
export function createProgressCheck(): (
  checkpoints: ReadonlyMap<string, bigint>,
  now_ms: number,
) => readonly Anomaly[] {
  let known = new Map<string, { readonly checkpoint: bigint; readonly since_ms: number }>();
  return (checkpoints, now_ms) => {
    const next = new Map<string, { readonly checkpoint: bigint; readonly since_ms: number }>();
    for (const [name, checkpoint] of checkpoints) {
      const before = known.get(name);
      next.set(name, before?.checkpoint === checkpoint ? before : { checkpoint, since_ms: now_ms });
    }
    known = next;
    return [...known].flatMap(([name, { checkpoint, since_ms }]) =>
      now_ms - since_ms < STOPPED_ms
        ? []
        : [{ check: 'lag' as const, message: `${name} stays at position ${checkpoint} during the load`, evidence: [] }],
    );
  };
}

/** Every read model equals the fold of the log. */
export function checkTables(differences: readonly TableDifference[]): readonly Anomaly[] {
  return differences.map(({ table, onlyInTable, onlyInFold }) => ({
    check: 'read models' as const,
    message:
      `${table} differs from the fold of the log: ` +
      `${onlyInTable.length} wrong and ${onlyInFold.length} missing rows`,
    evidence: [
      ...limit(onlyInTable, MAX_EVIDENCE / 2).map((row) => `in the table: ${row}`),
      ...limit(onlyInFold, MAX_EVIDENCE / 2).map((row) => `in the fold: ${row}`),
    ],
  }));
}

/** Returns the events after `since` whose messages a client with these topics must receive. */
export function eventsForClient(
  { topics }: Pick<LiveRecord, 'topics'>,
  log: readonly LoggedEvent[],
  since: bigint,
): readonly LoggedEvent[] {
  const wanted = topics && new Set(topics);
  return log.filter(
    ({ liveIdentity, liveKeys, position }) =>
      liveIdentity !== null &&
      position > since &&
      (wanted === null || liveKeys === null || liveKeys.some((key) => wanted.has(key))),
  );
}

/**
 * A live client received the message of each event after `since` once and in order, if the message concerns one of its
 * topics. Other messages are allowed, because the product sends a message to all clients if its topics are unknown. A
 * segment after a reload may start at any message. Messages of events that were lost are ignored. If the client still
 * runs (`isRunning`), messages after its last one are not expected yet.
 */
export function checkLive(
  { client, topics, segments, errors }: LiveRecord,
  log: readonly LoggedEvent[],
  since: bigint,
  disruptions: readonly Disruption[],
  { isRunning = false } = {},
): readonly Anomaly[] {
  const found = errors.map((error) => anomaly('live', `${client}: unexpected ${error}`, []));
  const all = eventsForClient({ topics: null }, log, since);
  const indexOf = new Map(all.map(({ liveIdentity }, index) => [liveIdentity, index]));
  const expected = eventsForClient({ topics }, log, since).map(({ liveIdentity }) => indexOf.get(liveIdentity) ?? 0);
  const isExpected = new Set(expected);
  /** For each index, the index of the next expected message. */
  const nextExpected = Array<number>(all.length + 1).fill(all.length);
  for (let index = all.length - 1; index >= 0; index -= 1)
    nextExpected[index] = isExpected.has(index) ? index : (nextExpected[index + 1] ?? all.length);
  segments.forEach((messages, number) => {
    let next = number === 0 ? 0 : null;
    for (const message of messages) {
      const index = indexOf.get(message.identity);
      if (index === undefined) {
        if (!disruptions.some(({ loses }) => loses))
          found.push(anomaly('live', `${client} received a message without an event`, [message]));
        continue;
      }
      const skipped = next === null ? index : (nextExpected[next] ?? index);
      if (next !== null && index < next)
        found.push(anomaly('live', `${client}: a message is repeated or late`, [all[next] ?? {}, message]));
      else if (skipped < index)
        found.push(anomaly('live', `${client}: a message is after a missing message`, [all[skipped] ?? {}, message]));
      next = index + 1;
    }
    if (isRunning || number < segments.length - 1) return;
    const begin = next ?? all.length;
    const left = expected.filter((index) => index >= begin);
    if (left.length > 0)
      found.push(
        anomaly('live', `${client} did not receive the last ${left.length} messages`, [all[left[0] ?? 0] ?? {}]),
      );
  });
  return limit(found, MAX_ANOMALIES);
}

interface MailHistory {
  readonly letters: readonly Letter[];
  readonly due: readonly DueLetter[];
  readonly calls: readonly Call[];
  readonly disruptions: readonly Disruption[];
  /** True if the jobs are in Redis, which loses no completed job when Postgres loses commits. */
  readonly hasRedis: boolean;
}

/**
 * Returns true if a disruption may have prevented a process of the workers from recording a mail that it has sent: the
 * process was killed, or it was stopped or cut off for longer than its claim of the mail.
 */
function preventsRecording({ kind, target, start_ms, end_ms }: Disruption): boolean {
  if (!target.startsWith('workers')) return false;
  return kind === 'kill' || (CLAIM_ENDING.has(kind) && end_ms - start_ms >= SHORTEST_LOST_CLAIM_ms);
}

/** Returns true if the clock of a process was wrong during one of these calls, or between them. */
function isClockWrong(calls: readonly Call[], disruptions: readonly Disruption[]): boolean {
  const start_ms = Math.min(...calls.map((call) => call.start_ms)) - CLOCK_CHECK_ms;
  const end_ms = Math.max(...calls.map((call) => call.end_ms));
  return disruptions.some(
    (one) => one.kind === 'clock' && one.start_ms <= end_ms && one.end_ms + CLOCK_CHECK_ms >= start_ms,
  );
}

/** Returns the mails that are due and were not sent. */
export function findMissingMails({
  letters,
  due,
  calls,
  disruptions,
}: Omit<MailHistory, 'hasRedis'>): readonly DueLetter[] {
  const callById = new Map(calls.map((call) => [call.id, call]));
  const textsByAddress = groupBy(letters, ({ to }) => to);
  return due.filter(({ calls: ids, to, text, kind }) => {
    if (textsByAddress.get(to)?.some((letter) => letter.text.includes(text))) return false;
    const made = ids.map((id) => callById.get(id)).filter((call) => call !== undefined);
    return !made.some((call) => mayBeLost(call, disruptions)) && !(kind && isClockWrong(made, disruptions));
  });
}

/**
 * No mail was sent twice. A mail that was due was sent. A mail may be sent twice if the process of the workers could
 * not record its delivery, or if Postgres lost the record and the queue does not show that the mail was sent (decision
 * 0074).
 */
export function checkMails({ letters, due, calls, disruptions, hasRedis }: MailHistory): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const interruptions = disruptions.filter(preventsRecording);
  for (const copies of groupBy(letters, ({ to, subject, text }) => `${to}\n${subject}\n${text}`).values()) {
    const [first, second] = copies;
    if (!first || !second) continue;
    const isInterrupted = interruptions.some(
      ({ start_ms, end_ms }) => end_ms >= first.received_ms - RECORDING_ms && start_ms <= second.received_ms,
    );
    const isRecordLost =
      (!hasRedis || first.text.includes(DECISION_LINK)) &&
      disruptions.some(
        ({ loses, start_ms, end_ms }) =>
          loses && first.received_ms >= start_ms - RECORDING_ms && first.received_ms <= end_ms,
      );
    if (!isInterrupted && !isRecordLost) found.push(anomaly('mails', `a mail was sent ${copies.length} times`, copies));
  }
  for (const letter of findMissingMails({ letters, due, calls, disruptions })) {
    const made = calls.filter(({ id }) => letter.calls.includes(id));
    found.push(anomaly('mails', `the mail to ${letter.to} was not sent`, [...made, letter]));
  }
  return limit(found, MAX_ANOMALIES);
}

/** Every job was processed. `unfinished` describes the jobs that were not. */
export function checkJobs(unfinished: readonly string[]): readonly Anomaly[] {
  return limit(
    unfinished.map((job) => anomaly('jobs', `the job ${job} was not processed`, [])),
    MAX_ANOMALIES,
  );
}

/** Every event can be decrypted, or its key was destroyed on purpose. */
export function checkKeys(
  log: readonly { readonly id: string; readonly type: string; readonly unreadable?: string }[],
): readonly Anomaly[] {
  return limit(
    log.flatMap(({ id, type, unreadable }) =>
      unreadable === undefined ? [] : [anomaly('keys', `${type} ${id}: ${unreadable}`, [])],
    ),
    MAX_ANOMALIES,
  );
}

/** No process ended by itself. `messages` are the reports about ends of processes. */
export function checkProcesses(messages: readonly string[]): readonly Anomaly[] {
  return limit(
    messages
      .filter((line) => !/\((?:SIGKILL|SIGTERM)\)|^restarting /u.test(line))
      .map((line) => anomaly('processes', line, [])),
    MAX_ANOMALIES,
  );
}

/** Nothing of an erased person remains. */
export function checkErasures(occurrences: readonly string[]): readonly Anomaly[] {
  return limit(
    occurrences.map((occurrence) => ({
      check: 'erasures' as const,
      message: 'remains of an erased person',
      evidence: [occurrence],
    })),
    MAX_ANOMALIES,
  );
}
