import { LinkButton } from '@alpenglow/ui';
import { useText } from './text.ts';
import note from '../pages/note.module.css';

/** Informs the owner that a moderator has hidden the ad. A link opens the decision. */
export function HiddenNote() {
  const t = useText();
  return (
    <div className={note['note']}>
      <div>
        <strong>{t('hiddenAd')}</strong>
        <p>{t('hiddenAdText')}</p>
      </div>
      <LinkButton to="/account/decisions" size="small">
        {t('hiddenAdWhy')}
      </LinkButton>
    </div>
  );
}
