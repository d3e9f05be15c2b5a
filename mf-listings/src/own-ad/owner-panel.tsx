import type { AdView } from '@alpenglow/domain/contracts';
import { Card } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { AdActions } from './ad-actions.tsx';
import { HiddenNote } from './hidden-note.tsx';
import { MediaFacts } from './media-facts.tsx';
import { isBeingMade, mediaStateOf } from './media-state.ts';
import styles from './owner-panel.module.css';

/** On the ad's own page, for its owner alone: what can be done with it, and what is not online yet. */
export function OwnerPanel({ ad }: { readonly ad: AdView }) {
  const t = useText();
  const isAllOnline = !isBeingMade(ad) && mediaStateOf(ad).reasons.length === 0;
  return (
    <Card>
      <section className={styles['panel']} aria-labelledby="own-ad">
        <h2 id="own-ad">{t('ownAd')}</h2>
        {ad.status === 'hidden' && <HiddenNote />}
        {!isAllOnline && (
          <dl>
            <dt>{t('media')}</dt>
            <MediaFacts ad={ad} />
          </dl>
        )}
        <AdActions ad={ad} />
      </section>
    </Card>
  );
}
