import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Arrival, CrowdResponse, CrowdCommand } from './cluster-crowd-process.ts';

/** Many WebSocket clients of one server, in a separate process. */
export interface Crowd {
  /**
   * Starts to count the messages that the clients receive. `arrived` resolves when every client has received `messages`
   * messages.
   */
  expectMessages(messages: number): Promise<{ arrived(): Promise<Arrival> }>;
  /** Starts to count messages. `arrived` resolves when all clients together have received `total` messages. */
  expectTotal(total: number): Promise<{ arrived(): Promise<Arrival> }>;
  /** Subscribes the clients to places, the same number to each. Resolves when the server has confirmed all of them. */
  subscribe(places: number): Promise<void>;
  close(): Promise<void>;
}

const ARRIVAL_LIMIT_ms = 60_000;

/** Connects `count` clients, 100 in parallel. `bundle` is the path of the bundled `cluster-crowd-process.ts`. */
export async function connectCrowd(
  bundle: string,
  { port, path, count }: { port: number; path: string; count: number },
): Promise<Crowd> {
  const child = fork(bundle, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const sendCommand = async (command: CrowdCommand): Promise<Arrival | null> => {
    const received = once(child, 'message', { signal: AbortSignal.timeout(ARRIVAL_LIMIT_ms) }) as Promise<
      [CrowdResponse]
    >;
    child.send(command);
    const [response] = await received;
    if ('error' in response) throw new Error(response.error);
    return response.ok;
  };
  try {
    await sendCommand({ do: 'connect', port, path, count });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const expectArrival = async (command: CrowdCommand) => {
    await sendCommand(command);
    return {
      async arrived() {
        const arrival = await sendCommand({ do: 'await' });
        if (!arrival) throw new Error('No messages were expected');
        return arrival;
      },
    };
  };
  return {
    expectMessages: (messages) => expectArrival({ do: 'expect', messages }),
    expectTotal: (total) => expectArrival({ do: 'expectTotal', total }),
    subscribe: async (places) => void (await sendCommand({ do: 'subscribe', places })),
    close: () => endChildProcess(child),
  };
}

/** Ends a child process by disconnecting its IPC channel. Does nothing if the process has already ended. */
export async function endChildProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exit;
}
