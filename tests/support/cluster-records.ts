import { Client } from 'pg';
import type { TestCluster } from './cluster.ts';
import { readServiceLog } from './service-log.ts';

/** What a cluster's run left behind: ends of processes, the log, mails and their jobs. */

const LOG_LEVEL = { error: 50, fatal: 60 };
/** The status of an answer to what nobody foresaw. */
const INTERNAL = 500;

export type Counts = Map<string, number>;
export const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** Which processes ended by the signal that a test sends, how often each; and whatever else the supervisor saw, in its words. */
export function endingsOf(said: readonly string[]): { readonly killed: Counts; readonly others: readonly string[] } {
  const killed: Counts = new Map();
  const others: string[] = [];
  for (const line of said) {
    const name = /^(\S+) ended \(SIGKILL\),/u.exec(line)?.[1];
    if (name === undefined) others.push(line);
    else count(killed, name);
  }
  return { killed, others };
}

export interface LogSummary {
  /** Whatever ends a process, was written past the logger, or was answered with 500. */
  readonly fatal: readonly string[];
  readonly errors: Counts;
  /** How often each is said to be done. */
  readonly mailJobsDone: Counts;
}

export async function summaryOf(logFile: string): Promise<LogSummary> {
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

/** The jobs that mail codes, by state, as the metrics tell. */
export async function mailJobs({ members }: TestCluster): Promise<Readonly<Record<string, number>>> {
  const member = members.find(({ service }) => service === 'projectors');
  const metrics = await (await fetch(`${member?.url ?? ''}/metrics`)).text();
  return Object.fromEntries(
    [...metrics.matchAll(/^jobs\{kind="account-mail",state="(\w+)"\} (\d+)$/gmu)].map(([, state = '', jobs]) => [
      state,
      Number(jobs),
    ]),
  );
}

export interface MailRecords {
  /** The account of each verification code that was issued, by the id of its mail. */
  readonly issued: ReadonlyMap<string, string>;
  readonly mails: readonly { readonly id: string; readonly to: string; readonly text: string }[];
}

export async function readMails(connectionString: string): Promise<MailRecords> {
  const database = new Client({ connectionString });
  await database.connect();
  try {
    const { rows: issued } = await database.query<{ account: string; mail: string }>(
      `select data->>'accountId' as account, 'verification-' || (data->>'issuanceId') as mail from es.events where type = 'EmailVerificationIssued'`,
    );
    const { rows: mails } = await database.query<{ id: string; to: string; text: string }>(
      'select id, "to", text from mail.inbox',
    );
    return { issued: new Map(issued.map(({ account, mail }) => [mail, account])), mails };
  } finally {
    await database.end();
  }
}
