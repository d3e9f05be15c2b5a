import { useEffect, useEffectEvent } from 'react';
import type { ThreadLiveMessage } from '@alpenglow/domain/contracts';
import { useApi, useHost, useStableInterest, type LiveInterest } from '@alpenglow/ui';
import { createBatcher } from '../lists/batcher.ts';

/** Time during which messages are collected, so that a busy thread does not cause an update for each reply. */
const BATCH_ms = 400;

/**
 * Calls `onMessages` with batches of live messages about threads. Before that, records the position of each message in
 * the event log. Later requests therefore return data that is at least as new as the messages. The messages are at
 * least those of `interest`.
 */
export function useThreadMessages(
  onMessages: (messages: readonly ThreadLiveMessage[]) => void,
  interest: LiveInterest,
): void {
  const api = useApi();
  const { onThreadLive } = useHost();
  const stableInterest = useStableInterest(interest);
  const onBatch = useEffectEvent(onMessages);
  const markPosition = useEffectEvent(({ seq }: ThreadLiveMessage) => api.positions.recordLive(seq));
  useEffect(() => {
    const gatherer = createBatcher<ThreadLiveMessage>(BATCH_ms, (messages) => onBatch(messages));
    const stopListening = onThreadLive?.((message) => {
      markPosition(message);
      gatherer.add(message);
    }, stableInterest);
    return () => {
      stopListening?.();
      gatherer.stop();
    };
  }, [onThreadLive, stableInterest]);
}
