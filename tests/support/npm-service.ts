import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { freePort } from '../../infra/cluster/free-port.mjs';
import { createTestDatabase } from './database.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface Started {
  readonly url: string;
  status(path: string): Promise<number>;
  ended: Promise<{ code: number | null }>;
  stderr(): string;
  terminate(): void;
}

export interface NpmServices {
  /** `npm start -w <service>`, as somebody would type it. */
  npmStart(service: string, env: Readonly<Record<string, string>>): Promise<Started>;
  /** What names a new, empty database. */
  withDatabase(): Promise<{ readonly DATABASE_URL: string }>;
}

/** Services that each test of a file may start; they are stopped after it. */
export function npmServices(): NpmServices {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });
  return {
    async npmStart(service, env) {
      const port = await freePort();
      const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-service-'));
      const child = spawn('npm', ['start', '-w', service], {
        cwd: root,
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          PORT: String(port),
          DATA_DIR: dataDir,
          DRAIN_DELAY_MS: '0',
          ...env,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const ended = new Promise<{ code: number | null }>((resolve) => child.once('close', (code) => resolve({ code })));
      const terminate = () => void (child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGTERM'));
      stops.push(async () => {
        terminate();
        await ended;
        await rm(dataDir, { recursive: true, force: true });
      });
      const url = `http://127.0.0.1:${port}`;
      return {
        url,
        ended,
        terminate,
        stderr: () => stderr,
        status: (where) =>
          fetch(`${url}${where}`).then(
            ({ status }) => status,
            () => 0,
          ),
      };
    },
    async withDatabase() {
      const database = await createTestDatabase();
      stops.push(() => database.drop());
      return { DATABASE_URL: database.connectionString };
    },
  };
}
