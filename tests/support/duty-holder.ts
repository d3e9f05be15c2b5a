import { once } from 'node:events';
import { runDuties } from '../../infra/src/adapters/postgres/leadership.ts';
import { printLine } from './print-line.ts';

/**
 * Input of a test process that runs duties, which are background tasks that exactly one process of a cluster runs. The
 * process prints each start and stop of a duty until it is killed.
 */
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
runDuties(plan.connectionString, duties, { onError: () => undefined });
