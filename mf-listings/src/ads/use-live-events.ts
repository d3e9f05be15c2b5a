import { useEffect, useState } from 'react';
import type { AdLiveMessage } from '@alpenglow/domain/contracts';
import { browserStorage, LIVE_NOTICES_OFF, LOCAL_KEYS } from '@alpenglow/ui';

export type LiveKind = AdLiveMessage['type'];

interface LiveEvents {
  readonly list: string;
  /** The events, the latest last. */
  readonly events: readonly Pick<AdLiveMessage, 'seq' | 'type'>[];
}

const NO_EVENTS: LiveEvents = { list: '', events: [] };
/** The number of events that are counted for a notice. */
const EVENTS_MAX = 99;
/** Time after the last event after which all events are forgotten. */
const NOTICE_ms = 12_000;

/**
 * Adds an event. Ignores an event that is counted already, because an event may be counted when it arrives, and again
 * after the list is loaded. An event of another list replaces all events.
 */
export function addLiveEvent(known: LiveEvents, list: string, { seq, type }: AdLiveMessage): LiveEvents {
  const events = known.list === list ? known.events : [];
  if (events.some((event) => event.seq === seq)) return known;
  return { list, events: [...events.slice(1 - EVENTS_MAX), { seq, type }] };
}

/**
 * Stores the kinds of the latest live events of a list for its notice. They are forgotten 12 s after the last
 * event, when `list` changes, and when `forget` is called. `count` adds an event, unless the visitor has switched live
 * notices off.
 * @param list identifies the list, e.g. by its query key
 */
export function useLiveEvents(list: string) {
  const [known, setKnown] = useState(NO_EVENTS);
  useEffect(() => {
    if (known === NO_EVENTS) return;
    const timer = setTimeout(() => setKnown(NO_EVENTS), NOTICE_ms);
    return () => clearTimeout(timer);
  }, [known]);
  return {
    kinds: known.list === list ? known.events.map(({ type }) => type) : [],
    count(message: AdLiveMessage) {
      if (browserStorage().getItem(LOCAL_KEYS.liveNotices) !== LIVE_NOTICES_OFF)
        setKnown((current) => addLiveEvent(current, list, message));
    },
    forget: () => setKnown(NO_EVENTS),
  };
}
