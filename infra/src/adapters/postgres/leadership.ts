import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** A duty one process at a time has. It works until `signal` aborts; when it fails it is taken up again after a wait. */
export interface Duty {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

const RETRY_ms = 1_000;

/**
 * Takes up each duty that no other process has, held by an advisory lock each on one connection of its own. When that
 * connection breaks, all duties end at once and other processes take them within about a second.
 * `onError` hears of failures; `onLead` of each duty taken.
 */
export function leadDuties(
  connectionString: string,
  duties: readonly Duty[],
  { onError, onLead }: { readonly onError: (duty: string, error: unknown) => void; readonly onLead?: (duty: string) => void },
): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const finished = keepLeading();

  async function keepLeading(): Promise<void> {
    while (!stopped.signal.aborted) {
      await leadOverOneConnection().catch((error: unknown) => onError('leadership', error));
      await rest(RETRY_ms, stopped.signal);
    }
  }

  async function leadOverOneConnection(): Promise<void> {
    const client = new Client({ connectionString, application_name: 'alpenglow-leader', keepAlive: true, keepAliveInitialDelayMillis: 5_000, connectionTimeoutMillis: 5_000 });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    await client.connect();
    const signal = AbortSignal.any([stopped.signal, lost.signal]);
    const running = new Map<string, Promise<void>>();
    try {
      while (!signal.aborted) {
        for (const duty of duties) {
          if (running.has(duty.name) || !(await takeLock(client, duty.name))) continue;
          onLead?.(duty.name);
          running.set(duty.name, perform(duty, client, signal).finally(() => running.delete(duty.name)));
        }
        await rest(RETRY_ms, signal);
      }
    } finally {
      lost.abort();
      await Promise.all(running.values());
      await client.end().catch(() => undefined);
    }
  }

  /** Does a duty until it fails or is to end. Then it is free for every process: one of a newer build may manage what this one cannot. */
  async function perform(duty: Duty, client: Client, signal: AbortSignal): Promise<void> {
    try {
      await duty.run(signal);
    } catch (error) {
      if (!signal.aborted) onError(duty.name, error);
    }
    await rest(RETRY_ms, signal);
    if (!signal.aborted) await freeLock(client, duty.name).catch(() => undefined);
  }

  return {
    async stop() {
      stopped.abort();
      await finished;
    },
  };
}

async function takeLock(client: Client, duty: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(hashtext('alpenglow-duty'), hashtext($1)) as taken`, [duty]);
  return rows[0]?.taken === true;
}

async function freeLock(client: Client, duty: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(hashtext('alpenglow-duty'), hashtext($1))`, [duty]);
}

function rest(wait_ms: number, signal: AbortSignal): Promise<void> {
  return pause(wait_ms, undefined, { signal }).catch(() => undefined);
}
