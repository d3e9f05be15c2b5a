import { Link } from 'react-router-dom';
import type { CaseView } from '@alpenglow/domain/contracts';
import { Badge, Checkbox, layout } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { casePath } from './api.ts';
import { PersonName, useFormatCaseTitle, useFormatReasons } from './case-labels.tsx';
import styles from './case-page.module.css';

interface LinkedCasesProps extends Pick<CaseView, 'linkedCases'> {
  /** The ids of the chosen cases. */
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Checkboxes for other open cases of the same owner, phone or photo that get the same decision. */
export function LinkedCases({ linkedCases, chosen, onChoose }: LinkedCasesProps) {
  const t = useText();
  const titleOf = useFormatCaseTitle();
  const reasonsOf = useFormatReasons();
  if (linkedCases.length === 0) return null;
  return (
    <fieldset className={layout['stack2']}>
      <legend className={styles['legend']}>{t('moderation.alsoDecide')}</legend>
      {linkedCases.map(({ case: card, by }) => (
        <div key={card.id} className={styles['linked']}>
          <Checkbox
            label={<bdi>{titleOf(card)}</bdi>}
            hint={
              <>
                {reasonsOf(card.reasons)} · <PersonName person={card.owner} />
              </>
            }
            checked={chosen.includes(card.id)}
            onChange={({ target }) =>
              onChoose(target.checked ? [...chosen, card.id] : chosen.filter((id) => id !== card.id))
            }
          />
          <p className={styles['badges']}>
            {by.map((link) => (
              <Badge key={link} tone="accent">
                {t(link === 'owner' ? 'moderation.sameOwner' : `moderation.linkedBy.${link}`)}
              </Badge>
            ))}
            <Link to={casePath(card.id)}>{t('moderation.readCase')}</Link>
          </p>
        </div>
      ))}
    </fieldset>
  );
}
