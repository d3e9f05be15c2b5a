import { useEffect, useRef, useState } from 'react';
import type { RuleConditions } from '@alpenglow/domain/contracts';
import { useApi } from '@alpenglow/ui';
import { ruleCalls, type TrialProgress } from './calls.ts';

export interface Trial {
  readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  readonly progress: TrialProgress | null;
  readonly error: unknown;
}

const IDLE: Trial = { state: 'idle', progress: null, error: null };

/** Runs one trial at a time; it ends with the component. */
export function useTrial() {
  const api = useApi();
  const [trial, setTrial] = useState<Trial>(IDLE);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function run(conditions: RuleConditions): Promise<void> {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setTrial({ state: 'running', progress: null, error: null });
    try {
      const progress = await ruleCalls(api).tryOut(
        conditions,
        (now) => !own.signal.aborted && setTrial({ state: 'running', progress: now, error: null }),
        own.signal,
      );
      if (!own.signal.aborted) setTrial({ state: 'done', progress, error: null });
    } catch (error) {
      if (!own.signal.aborted) setTrial((before) => ({ ...before, state: 'failed', error }));
    }
  }

  function stop(): void {
    running.current?.abort();
    setTrial((before) => ({ ...before, state: 'stopped' }));
  }

  return { trial, run, stop };
}
