import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { createTestDatabase } from './database.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface StartedService {
  readonly url: string;
  status(path: string): Promise<number>;
  ended: Promise<{ code: number | null }>;
  stderr(): string;
  terminate(): void;
}

export interface NpmServices {
  /** Runs `npm start -w <service>` in a separate process. */
  npmStart(service: string, env: Readonly<Record<string, string>>): Promise<StartedService>;
  /** Creates an empty database. Returns an object with the environment variable `DATABASE_URL` for this database. */
  createDatabaseEnv(): Promise<{ readonly DATABASE_URL: string }>;
}

/** Returns functions that start services. All started services are stopped after each test. */
export function npmServices(): NpmServices {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });
  return {
    async npmStart(service, env) {
      const port = await findFreePort();
      const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-service-'));
      const child = spawn('npm', ['start', '-w', service], {
        cwd: root,
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          TMPDIR: os.tmpdir(),
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
        status: (route) =>
          fetch(`${url}${route}`).then(
            ({ status }) => status,
            () => 0,
          ),
      };
    },
    async createDatabaseEnv() {
      const database = await createTestDatabase();
      stops.push(() => database.drop());
      return { DATABASE_URL: database.connectionString };
    },
  };
}
