import { FACTS_MAX } from '@alpenglow/domain/contracts';
import { Button, Choice, layout, Menu } from '@alpenglow/ui';
import { useWatch, type Control } from 'react-hook-form';
import { useText } from '../text.ts';
import type { DecisionValues } from './decision-values.ts';
import { SAVED_REASONS_MAX, useModerationSettings } from './moderation-settings.ts';
import styles from './case-page.module.css';

interface SavedReasonsProps<Values> {
  /** The form whose field `facts` contains the text. */
  readonly control: Control<DecisionValues<string>, unknown, Values>;
  readonly onChoose: (facts: string) => void;
}

/** Buttons that insert a saved reason into the facts, save the current text as a reason, and forget it again. */
export function SavedReasons<Values>({ control, onChoose }: SavedReasonsProps<Values>) {
  const t = useText();
  const facts = useWatch({ control, name: 'facts' });
  const { settings, change } = useModerationSettings();
  const { reasons } = settings;
  const text = facts.trim();
  const isSaved = reasons.includes(text);
  return (
    <div className={layout['row2']}>
      {reasons.length > 0 && (
        <Menu label={t('moderation.savedReasons')} variant="secondary">
          {reasons.map((reason) => (
            <Choice key={reason} onChoose={() => onChoose(reason)}>
              <span className={styles['reason']}>{reason}</span>
            </Choice>
          ))}
        </Menu>
      )}
      {text !== '' && text.length <= FACTS_MAX && (
        <Button
          size="small"
          variant="quiet"
          disabled={!isSaved && reasons.length >= SAVED_REASONS_MAX}
          onClick={() => change({ reasons: isSaved ? reasons.filter((one) => one !== text) : [text, ...reasons] })}
        >
          {t(isSaved ? 'moderation.forgetReason' : 'moderation.saveReason')}
        </Button>
      )}
    </div>
  );
}
