import { useEffect, useEffectEvent } from 'react';
import type { ThreadLiveMessage } from '@alpenglow/domain/contracts';
import { useApi, useHost } from '@alpenglow/ui';
import { createGatherer } from '../lists/gather.ts';

/** A busy thread is looked at so often, not for each of its replies. */
const GATHER_ms = 400;

/** Hands on what the live channel tells of threads, some at a time; what is read after that is not older than what was told. */
export function useThreadNews(take: (messages: readonly ThreadLiveMessage[]) => void): void {
  const api = useApi();
  const { onThreadLive } = useHost();
  const handOn = useEffectEvent(take);
  const see = useEffectEvent(({ seq }: ThreadLiveMessage) => api.positions.seen(seq));
  useEffect(() => {
    const gatherer = createGatherer<ThreadLiveMessage>(GATHER_ms, (messages) => handOn(messages));
    const stopListening = onThreadLive?.((message) => {
      see(message);
      gatherer.add(message);
    });
    return () => {
      stopListening?.();
      gatherer.stop();
    };
  }, [onThreadLive]);
}
