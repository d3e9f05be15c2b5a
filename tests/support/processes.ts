import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface TestProcess {
  /** Whole lines of its output, in order. Ends when the process has ended and every line was read. */
  readonly lines: AsyncIterable<string>;
  /** kill -9. What it had printed can still be read. */
  kill(): void;
  /** Stops it in the middle of whatever it does, as if its machine had hung. */
  freeze(): void;
  thaw(): void;
  /** Resolves when it has ended by itself without fault, or was killed by `kill`; throws with its error output otherwise. */
  finished(): Promise<void>;
}

/** Runs a bundled entry (`support/bundle.mjs`) in a process of its own, with `input` as its only argument and `env` besides what this one has. */
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
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async finished() {
      const [code] = await closed;
      if (code !== 0 && !killed) throw new Error(`The process ended with ${code}:\n${errors}`);
    },
  };
}

/** A line a killed process did not finish is not one it has printed: each ends with a full stop, which is taken off. */
async function* wholeLines(output: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const line of createInterface({ input: output })) if (line.endsWith('.')) yield line.slice(0, -1);
}
