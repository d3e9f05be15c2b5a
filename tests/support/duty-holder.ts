import { once } from 'node:events';
import { leadDuties } from '../../infra/src/adapters/postgres/leadership.ts';
import { printLine } from './print-line.ts';

/** What a process that has duties is to do: tell of each duty it takes and gives up, until it is killed. */
export interface DutyPlan {
  readonly connectionString: string;
  readonly duties: readonly string[];
}

const plan = JSON.parse(process.argv[2] ?? '') as DutyPlan;
const duties = plan.duties.map((name) => ({
  name,
  async run(signal: AbortSignal) {
    printLine(`taken ${name}`);
    if (!signal.aborted) await once(signal, 'abort');
    printLine(`given up ${name}`);
  },
}));
leadDuties(plan.connectionString, duties, { onError: () => undefined });
