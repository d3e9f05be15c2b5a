import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface TestProcess {
  /** Complete lines of the output, in order. The iteration ends when the process has ended and every line was read. */
  readonly lines: AsyncIterable<string>;
  /** Kills the process with SIGKILL. The lines that it has printed can still be read. */
  kill(): void;
  /** Suspends the process with SIGSTOP. */
  suspend(): void;
  resume(): void;
  /**
   * Resolves when the process has ended with code 0 or was killed by `kill`. Otherwise rejects with its error output.
   */
  exited(): Promise<void>;
}

/**
 * Runs a bundle (`support/bundle.mjs`) in a separate process. `input` is its only argument. `env` is added to the
 * environment of this process.
 */
export function runBundle(path: string, input: unknown, env: Readonly<Record<string, string>> = {}): TestProcess {
  const child = spawn(process.execPath, [path, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  let errors = '';
  let killed = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return {
    lines: wholeLines(child.stdout),
    kill() {
      killed = true;
      child.kill('SIGKILL');
    },
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async exited() {
      const [code] = await closed;
      if (code !== 0 && !killed) throw new Error(`The process ended with ${code}:\n${errors}`);
    },
  };
}

/**
 * Yields only complete lines, because a killed process may leave an incomplete last line. A complete line ends with a
 * full stop, which is removed.
 */
async function* wholeLines(output: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const line of createInterface({ input: output })) if (line.endsWith('.')) yield line.slice(0, -1);
}
