import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Arrival, CrowdAnswer, CrowdCommand } from './cluster-crowd-process.ts';

/** Many WebSocket clients of one server, in a process of their own. */
export interface Crowd {
  /** Arms it for so many messages to each client; `arrived` then resolves when the last client has the last of them. */
  expect(messages: number): Promise<{ arrived(): Promise<Arrival> }>;
  close(): Promise<void>;
}

const ARRIVAL_LIMIT_ms = 60_000;

/** Connects `count` clients, 100 at a time. `bundle` is that of `cluster-crowd-process.ts`. */
export async function gatherCrowd(
  bundle: string,
  { port, path, count }: { port: number; path: string; count: number },
): Promise<Crowd> {
  const child = fork(bundle, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const tell = async (command: CrowdCommand): Promise<Arrival | null> => {
    const answered = once(child, 'message', { signal: AbortSignal.timeout(ARRIVAL_LIMIT_ms) }) as Promise<
      [CrowdAnswer]
    >;
    child.send(command);
    const [answer] = await answered;
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.ok;
  };
  try {
    await tell({ do: 'connect', port, path, count });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    async expect(messages) {
      await tell({ do: 'expect', messages });
      return {
        async arrived() {
          const arrival = await tell({ do: 'await' });
          if (!arrival) throw new Error('Nothing was awaited');
          return arrival;
        },
      };
    },
    close: () => ended(child),
  };
}

/** Lets go of a child that ends with its channel; does nothing to one that has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exit;
}
