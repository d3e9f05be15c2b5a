import { Client } from 'pg';
import type { TestCluster } from './cluster.ts';
import type { LoggedEvent } from './event-log.ts';
import { readServiceLog } from './service-log.ts';
import { METRICS_TOKEN } from './product.ts';

/** Reads what a test run of a cluster recorded: the ended processes, the log lines, the mails and the mail jobs. */

const LOG_LEVEL = { error: 50, fatal: 60 };
/** HTTP status of the response to an unexpected error. */
const INTERNAL = 500;

export type Counts = Map<string, number>;
export const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/**
 * Returns how often each process was killed with SIGKILL. Only tests send this signal, so these ends are expected. All
 * other messages of the supervisor are returned as `others`.
 */
export function processEndsOf(messages: readonly string[]): {
  readonly killed: Counts;
  readonly others: readonly string[];
} {
  const killed: Counts = new Map();
  const others: string[] = [];
  for (const line of messages) {
    const name = /^(\S+) ended \(SIGKILL\),/u.exec(line)?.[1];
    if (name === undefined) others.push(line);
    else count(killed, name);
  }
  return { killed, others };
}

export interface LogSummary {
  /**
   * Log lines of serious failures: the end of a process, a response with status 500, or output that the logger did not
   * write.
   */
  readonly fatal: readonly string[];
  readonly errors: Counts;
  /** Number of times that each mail job was reported as done, by job id. */
  readonly mailJobsDone: Counts;
}

export async function summarizeLog(logFile: string): Promise<LogSummary> {
  const fatal: string[] = [];
  const errors: Counts = new Map();
  const mailJobsDone: Counts = new Map();
  for await (const line of readServiceLog(logFile)) {
    const { level, msg, status = '' } = line;
    if (level >= LOG_LEVEL.fatal || msg === 'unforeseen error' || status === INTERNAL) fatal.push(JSON.stringify(line));
    else if (level >= LOG_LEVEL.error) count(errors, `${msg} ${String(status)}`.trim());
    else if (line.msg === 'job done' && line['kind'] === 'account-mail') count(mailJobsDone, String(line['jobId']));
  }
  return { fatal, errors, mailJobsDone };
}

/** Returns the number of mail jobs in each state, from the metrics of a projectors process. */
export async function countMailJobs({ members }: TestCluster): Promise<Readonly<Record<string, number>>> {
  const member = members.find(({ service }) => service === 'projectors');
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const metrics = await (await fetch(`${member?.url ?? ''}/metrics`, { headers })).text();
  return Object.fromEntries(
    [...metrics.matchAll(/^jobs\{kind="account-mail",state="(\w+)"\} (\d+)$/gmu)].map(([, state = '', jobs]) => [
      state,
      Number(jobs),
    ]),
  );
}

export interface MailRecords {
  /** Id of the account to which each verification code was issued, by the id of the mail that contains the code. */
  readonly issued: ReadonlyMap<string, string>;
  readonly mails: readonly { readonly id: string; readonly to: string; readonly text: string }[];
}

/** Reads the mails in the database. `log` has the events with the codes that were issued. */
export async function readMails(connectionString: string, log: readonly LoggedEvent[]): Promise<MailRecords> {
  const database = new Client({ connectionString });
  await database.connect();
  try {
    const issued = log
      .filter(({ type }) => type === 'EmailVerificationIssued')
      .map(({ data }) => data as Readonly<Record<'accountId' | 'issuanceId', string>>);
    const { rows: mails } = await database.query<{ id: string; to: string; text: string }>(
      'select id, "to", text from mail.inbox',
    );
    return {
      issued: new Map(issued.map(({ accountId, issuanceId }) => [`verification-${issuanceId}`, accountId])),
      mails,
    };
  } finally {
    await database.end();
  }
}
