import { useEffect, useRef, useState } from 'react';
import type { RuleConditions } from '@alpenglow/domain/contracts';
import { useApi } from '@alpenglow/ui';
import { ruleRequests, type TrialProgress } from './api.ts';

export interface Trial {
  readonly state: 'idle' | 'running' | 'done' | 'stopped' | 'failed';
  readonly progress: TrialProgress | null;
  readonly error: unknown;
}

const IDLE: Trial = { state: 'idle', progress: null, error: null };

/** Tries a hiding rule on existing ads. Starting another trial or unmounting the component stops the running trial. */
export function useTrial() {
  const api = useApi();
  const [trial, setTrial] = useState<Trial>(IDLE);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function run(conditions: RuleConditions): Promise<void> {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setTrial({ state: 'running', progress: null, error: null });
    try {
      const progress = await ruleRequests(api).tryOut(
        conditions,
        (now) => !controller.signal.aborted && setTrial({ state: 'running', progress: now, error: null }),
        controller.signal,
      );
      if (!controller.signal.aborted) setTrial({ state: 'done', progress, error: null });
    } catch (error) {
      if (!controller.signal.aborted) setTrial((before) => ({ ...before, state: 'failed', error }));
    }
  }

  function stop(): void {
    running.current?.abort();
    setTrial((before) => ({ ...before, state: 'stopped' }));
  }

  return { trial, run, stop };
}
