import { createLimitError, limitByNetwork, toNetworkKeys } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';

const DAY_s = 24 * 60 * 60;
/** The number of requests of one person within 24 hours that hide content at once. */
const HIDING_REQUESTS_OF_PERSON_MAX = 5;
/** The maximum number of requests of one person within 24 hours. */
const REQUESTS_OF_PERSON_MAX = 20;
/**
 * The number of contents that all requests of one network together hide at once within 24 hours. The request that
 * reaches this number hides everything that it names, so the first request of a network is always carried out
 * completely. Later requests hide nothing before a moderator decides.
 */
const CONTENTS_OF_NETWORK_MAX = 100;

interface Admission {
  /** True if the request hides content at once. */
  readonly hidesAtOnce: boolean;
  /** Removes the request from the counts, because it could not be stored. */
  undo(): Promise<void>;
}

/**
 * Counts removal requests. A person is known by the e-mail address together with the network, so that
 * another person with this address does not use up the limit. Above a limit, a request is accepted, but hides nothing
 * before a moderator decides, because one network could otherwise hide the whole site. Unknown counts start at 0, so
 * that no request waits for them.
 */
export function createRemovalLimits({ counters, hashKey }: Dependencies<'counters' | 'hashKey'>) {
  const change = async (key: string, by: number) => {
    const unlimited = { count: by, left_ms: 0 };
    return counters ? counters.add(hashKey(`removal requests ${key}`), by, DAY_s, 'start-at-0') : unlimited;
  };
  return {
    /**
     * Counts a request about `contents` contents. Throws RATE_LIMITED only for a person with many earlier requests.
     * @param address the IP address of the client
     */
    async admit(email: string, address: string | undefined, contents: number): Promise<Admission> {
      const added: { readonly key: string; readonly by: number }[] = [];
      const add = async (key: string, by: number) => {
        const window = await change(key, by);
        added.push({ key, by });
        return window;
      };
      const undo = async () => {
        for (const { key, by } of added.splice(0)) await change(key, -by);
      };
      const ofPerson = await add(`person ${toNetworkKeys(address).subscriber} ${email}`, 1);
      if (ofPerson.count > REQUESTS_OF_PERSON_MAX) throw createLimitError(ofPerson.left_ms);
      if (ofPerson.count > HIDING_REQUESTS_OF_PERSON_MAX) return { hidesAtOnce: false, undo };
      let hidesAtOnce = true;
      for (const { network, max } of limitByNetwork(address, CONTENTS_OF_NETWORK_MAX)) {
        const { count } = await add(`contents ${network}`, contents);
        hidesAtOnce &&= count - contents < max;
      }
      return { hidesAtOnce, undo };
    },
  };
}
