import type { AdView } from '@alpenglow/domain/contracts';
import { Card, classNames, layout } from '@alpenglow/ui';
import { useText } from './text.ts';
import { AdActions } from './ad-actions.tsx';
import { ModerationNote } from './moderation-note.tsx';
import { MediaStatus } from './media-status.tsx';
import { isProcessing, getMediaState } from './media-state.ts';
import styles from './owner-panel.module.css';

/** The panel that only the owner sees on the page of an ad. It shows the actions and unpublished photos or video. */
export default function OwnerPanel({ ad }: { readonly ad: AdView }) {
  const t = useText();
  const isAllPublished = !isProcessing(ad) && getMediaState(ad).reasons.length === 0;
  return (
    <Card>
      <section className={classNames(layout['stack4'], styles['panel'])} aria-labelledby="own-ad">
        <h2 id="own-ad">{t('ownAd')}</h2>
        <ModerationNote ad={ad} />
        {!isAllPublished && (
          <dl>
            <dt>{t('ownMedia')}</dt>
            <MediaStatus ad={ad} />
          </dl>
        )}
        <AdActions ad={ad} />
      </section>
    </Card>
  );
}
