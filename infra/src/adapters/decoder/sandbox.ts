import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FOLDER_PREFIX } from './temporary-folder.ts';

/** The restrictions under which the decoder runs. Which ones are possible depends on the system. */
export interface Sandbox {
  /** The command that starts another command with the restrictions. */
  readonly prefix: readonly string[];
  /** The user and group that own the decoder's folder. Null if it is the user of this process. */
  readonly owner: number | null;
  /** The restrictions that this system does not permit. */
  readonly missing: readonly string[];
}

/** The id of the unprivileged user and group, which own no files. */
const UNPRIVILEGED_ID = 65_534;
/**
 * The limits of the operating system: no core dump, files of at most 256 MB, 256 open files, and 2 GB of memory. A
 * limit that the system does not have is omitted.
 */
const LIMITED = [
  'for limit in "-c 0" "-f 524288" "-n 256" "-d 2097152"; do ulimit $limit 2>/dev/null; done',
  'exec "$@"',
].join('; ');
const SEPARATE = ['--net', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc', '--'];

interface Measure {
  readonly name: string;
  readonly owner?: number;
  /** Commands with the same effect. The first one that works is used. */
  readonly variants: readonly (readonly string[])[];
}

function measures(): readonly Measure[] {
  const isRoot = process.getuid?.() === 0;
  return [
    {
      name: 'without network and without other processes',
      variants: [
        ['unshare', ...SEPARATE],
        ['unshare', '--user', '--map-current-user', ...SEPARATE],
      ],
    },
    ...(isRoot
      ? [
          {
            name: 'as another user',
            owner: UNPRIVILEGED_ID,
            variants: [['setpriv', `--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups', '--']],
          },
        ]
      : []),
    { name: 'without new privileges', variants: [['setpriv', '--no-new-privs', '--']] },
    { name: 'with limits', variants: [['/bin/sh', '-c', LIMITED, 'sh']] },
  ];
}

/** The restrictions by the file of the program. They are the same for all processes of this process. */
const known = new Map<string, Promise<Sandbox>>();

/** Returns the result of `findSandbox`, which runs once for each program, and again after a failure. */
export function getSandbox(program: string): Promise<Sandbox> {
  const earlier = known.get(program);
  if (earlier) return earlier;
  const sandbox = findSandbox(program);
  known.set(program, sandbox);
  // A failure, e.g. because the disk is full, can end.
  sandbox.catch(() => known.delete(program));
  return sandbox;
}

/** Reads the program of the decoder and writes a file to its folder. */
const TRIAL = '"$1" --check "$2" && : > "$3/trial" && rm "$3/trial"';

/**
 * Finds the restrictions that this system permits, by trying each of them. `program` is the file of the program that
 * runs with them. It must accept the argument `--check`, and then end.
 */
export async function findSandbox(program: string): Promise<Sandbox> {
  const folder = await mkdtemp(path.join(tmpdir(), FOLDER_PREFIX));
  try {
    let sandbox: Sandbox = { prefix: [], owner: null, missing: [] };
    for (const { name, owner, variants } of measures()) {
      const found = await firstWorking(variants, async (variant) => {
        if (owner !== undefined) await chown(folder, owner, owner);
        return isPossible(
          [...sandbox.prefix, ...variant, '/bin/sh', '-c', TRIAL, 'sh', process.execPath, program],
          folder,
        );
      });
      if (!found && owner !== undefined) await chown(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
      sandbox = found
        ? { ...sandbox, prefix: [...sandbox.prefix, ...found], owner: owner ?? sandbox.owner }
        : { ...sandbox, missing: [...sandbox.missing, name] };
    }
    return sandbox;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function firstWorking<T>(variants: readonly T[], works: (variant: T) => Promise<boolean>): Promise<T | null> {
  for (const variant of variants) if (await works(variant)) return variant;
  return null;
}

const TRIAL_ms = 20_000;

function isPossible([command = '', ...args]: readonly string[], folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = {
      timeout: TRIAL_ms,
      killSignal: 'SIGKILL',
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    } as const;
    execFile(command, [...args, folder], options, (error) => resolve(error === null));
  });
}
