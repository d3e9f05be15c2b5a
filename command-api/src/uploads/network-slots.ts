import { createSlotsPerKey, toNetworkKeys, type Slot } from '@alpenglow/infra';

/** A /48 network of IPv6 contains many subscribers, so it has twice as many slots. */
const SITE_FACTOR = 2;

/** Limits the concurrent uploads of one network, so that it cannot take all slots with several accounts. */
export function createNetworkSlots(max: number) {
  const subscriberSlots = createSlotsPerKey(max);
  const siteSlots = createSlotsPerKey(max * SITE_FACTOR);
  return {
    /** Returns a slot of the client's network, or null if all of its slots are taken. */
    take(address: string | undefined): Slot | null {
      const { subscriber, site } = toNetworkKeys(address);
      const subscriberSlot = subscriberSlots.take(subscriber);
      const siteSlot = subscriberSlot && site !== null ? siteSlots.take(site) : null;
      if (subscriberSlot && (site === null || siteSlot))
        return {
          release() {
            subscriberSlot.release();
            siteSlot?.release();
          },
        };
      subscriberSlot?.release();
      return null;
    },
  };
}
